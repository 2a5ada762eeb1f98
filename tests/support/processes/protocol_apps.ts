/**
 * Servers of small models for tests of protocols, and what asks them.
 *
 * @module
 */
import { createApp } from "../../../src/server/app.ts";
import { numbersModel, smallModel } from "../models/small.ts";

/** A model of numbers and text, named `small`. */
export const mixed = createApp({ models: { small: smallModel() } });
/** A model of two numbers. */
export const numbers = createApp({ models: { numbers: numbersModel() } });

/** What a server answered. */
export interface Answer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
  readonly text: string;
  readonly headers: Headers;
}

/** Posts JSON, or text and bytes as they are. */
export async function post(
  app: typeof mixed,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const plain = typeof body === "string" || body instanceof Uint8Array;
  const response = await app.request(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: plain ? body as BodyInit : JSON.stringify(body),
  });
  const text = await response.text();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  return { status: response.status, body: parsed, text, headers: response.headers };
}

/** Gets JSON. */
export const get = async (app: typeof mixed, path: string) => {
  const response = await app.request(path);
  return { status: response.status, body: await response.json() };
};

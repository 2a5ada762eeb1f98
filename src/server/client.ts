/**
 * A client of our own protocol for TypeScript: works wherever `fetch` does, needs no server code.
 *
 * @module
 */
import type { Row } from "../data/types.ts";

/** What a model takes and gives; `treeline types` writes the row's type. */
export interface ClientModel {
  readonly row: object;
  readonly prediction: unknown;
}

/** An answer to `predict`. */
export interface PredictAnswer<P> {
  readonly model: string;
  readonly version: string;
  readonly predictions: readonly P[];
  readonly missing: readonly string[];
  readonly unknown: readonly string[];
  readonly absent: readonly string[];
  readonly ignored: readonly string[];
  /** With `reasons`. */
  readonly reasons?: readonly (readonly {
    readonly feature: string;
    readonly contribution: number;
  }[])[];
  /** With `onError: "partial"`. */
  readonly errors?: readonly {
    readonly row: number;
    readonly code: string;
    readonly message: string;
    readonly column?: string;
  }[];
}

/** How rows are scored. */
export interface PredictRequestOptions {
  readonly kind?: "default" | "value" | "class" | "proba" | "raw" | "leaf";
  readonly columns?: "model" | "strict" | "lenient";
  readonly onError?: "fail" | "partial";
  readonly reasons?: number;
  readonly signal?: AbortSignal;
}

/** A refused request: the server's code and status, and the problem as it was sent. */
export class ClientError extends Error {
  /** Stable code to switch on. */
  readonly code: string;
  /** HTTP status. */
  readonly status: number;
  /** The whole problem. */
  readonly problem: unknown;

  /** Made by the client. */
  constructor(status: number, problem: unknown) {
    const { code, detail } = (problem ?? {}) as { code?: string; detail?: string };
    super(detail ?? `The server answered ${status}`);
    this.name = "ClientError";
    this.code = code ?? "E_INTERNAL";
    this.status = status;
    this.problem = problem;
  }
}

/** A client of one server. */
export interface Client<M extends { readonly [name: string]: ClientModel }> {
  /** Scores rows; rejects with {@linkcode ClientError}. */
  predict<N extends keyof M & string>(
    name: N,
    rows: M[N]["row"] | readonly M[N]["row"][],
    options?: PredictRequestOptions,
  ): Promise<PredictAnswer<M[N]["prediction"]>>;
}

/** How a client reaches its server. */
export interface ClientOptions {
  readonly token?: string;
  /** Called instead of the global `fetch`: `createApp(…).fetch` scores in process. */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
}

/**
 * Makes a client.
 *
 * @example
 * ```ts ignore
 * import type { AdultRow } from "./adult_row.ts"; // treeline types adult.tlm
 * const client = createClient<{ adult: { row: AdultRow; prediction: { class: string } } }>(
 *   "http://localhost:8000",
 * );
 * const { predictions } = await client.predict("adult", { age: 39, education: "Bachelors" });
 * ```
 */
export function createClient<
  M extends { readonly [name: string]: ClientModel } = {
    readonly [name: string]: { readonly row: Row; readonly prediction: unknown };
  },
>(url: string, options: ClientOptions = {}): Client<M> {
  const send = options.fetch ?? ((request: Request) => fetch(request));
  return {
    async predict(name, rows, { signal, ...query } = {}) {
      const address = new URL(
        `v1/models/${encodeURIComponent(name)}/predict`,
        `${url.replace(/\/+$/, "")}/`,
      );
      for (const [key, value] of Object.entries(query)) {
        if (value !== undefined) address.searchParams.set(key, String(value));
      }
      const response = await send(
        new Request(address, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
          },
          body: JSON.stringify(rows),
          ...(signal === undefined ? {} : { signal }),
        }),
      );
      const body = await response.json().catch(() => undefined);
      if (!response.ok) throw new ClientError(response.status, body);
      return body;
    },
  };
}

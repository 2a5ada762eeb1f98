/**
 * A client of our own protocol for TypeScript: works wherever `fetch` does, needs no server code.
 *
 * @module
 */
import { checkArgument, checkOptions } from "../door.ts";
import type { Row } from "../data/types.ts";

/** What a model takes and gives; `treeline types` writes it. */
export interface ClientModel {
  /** A row: cells by column name. */
  readonly row: object;
  /** The answer for one row. */
  readonly prediction: unknown;
}

/** An answer to `predict`: predictions in the order of the rows, and names of columns that were noticed. */
export interface PredictAnswer<P> {
  /** Name of the model that answered. */
  readonly model: string;
  /** Hash of the model that answered: the same model has the same one everywhere. */
  readonly version: string;
  /** In the order of the rows. */
  readonly predictions: readonly P[];
  /** Features that some row has no value for. */
  readonly missing: readonly string[];
  /** Features with values outside their vocabulary in some row. */
  readonly unknown: readonly string[];
  /** Features that no row names. */
  readonly absent: readonly string[];
  /** Columns that the model does not use. */
  readonly ignored: readonly string[];
  /** With `kind: "proba"`: what the probabilities of a row are of, in their order. */
  readonly classes?: readonly string[];
  /** With `reasons`: the largest contributions to the raw score of each row, the largest first. */
  readonly reasons?: readonly (readonly {
    readonly feature: string;
    readonly contribution: number;
  }[])[];
  /** With `onError: "partial"`: rows that were left out, counted from 1; their predictions are null. */
  readonly errors?: readonly {
    readonly row: number;
    readonly code: string;
    readonly message: string;
    readonly column?: string;
  }[];
}

/** How rows are scored. */
export interface PredictRequestOptions {
  /** Predictions of another form than {@linkcode ClientModel} says. @default "default" */
  readonly kind?: "default" | "value" | "class" | "proba" | "raw" | "leaf";
  /** Whether absent and unknown columns are refused. @default "model" */
  readonly columns?: "model" | "strict" | "lenient";
  /** `partial` answers null for rows that cannot be read, and names them. @default "fail" */
  readonly onError?: "fail" | "partial";
  /** So many of the largest contributions of each row, from 1. @default none */
  readonly reasons?: number;
  /** Scores with so many of the first rounds of trees. @default all */
  readonly rounds?: number;
  /** Ends the wait, as of `fetch`. */
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
  /**
   * Scores one row or several.
   *
   * @param name The model, or `name@version`.
   * @throws {ClientError} What the server refused, or an answer without predictions; a server that is not
   * there rejects as `fetch` does.
   */
  predict<N extends keyof M & string, O extends PredictRequestOptions = PredictRequestOptions>(
    name: N,
    rows: M[N]["row"] | readonly M[N]["row"][],
    options?: O,
  ): Promise<
    PredictAnswer<M[N]["prediction"] | (O extends { readonly onError: "partial" } ? null : never)>
  >;
}

/** How a client reaches its server. */
export interface ClientOptions {
  /** Sent as bearer token. */
  readonly token?: string;
  /** Called instead of the global `fetch`: `createApp(…).fetch` scores in process. */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
}

/**
 * Makes a client.
 *
 * @example
 * ```ts ignore
 * import type { AdultModel } from "./adult.ts"; // treeline types adult.tlm --out adult.ts
 * const client = createClient<{ adult: AdultModel }>("http://localhost:8000");
 * const { predictions } = await client.predict("adult", { age: 39, education: "Bachelors" });
 * ```
 */
export function createClient<
  M extends { readonly [name: string]: ClientModel } = {
    readonly [name: string]: { readonly row: Row; readonly prediction: unknown };
  },
>(url: string, options: ClientOptions = {}): Client<M> {
  checkArgument("createClient", "url", url, "text");
  checkOptions<ClientOptions>("createClient", options, { token: "text", fetch: "function" });
  const send = options.fetch ?? ((request: Request) => fetch(request));
  return {
    async predict(name, rows, how) {
      const { signal, ...query }: PredictRequestOptions = how ?? {};
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
          body: JSON.stringify(rows, asJson),
          ...(signal === undefined ? {} : { signal }),
        }),
      );
      const body = await response.json().catch(() => undefined);
      // A page that somebody between has put in the answer's place is no answer either.
      if (!response.ok || !Array.isArray(body?.predictions)) {
        throw new ClientError(response.status, body);
      }
      return body;
    },
  };
}

/** Cells that JSON has no numbers for, as text that a model reads as the same number: infinity became null. */
function asJson(_: string, cell: unknown): unknown {
  const isOdd = typeof cell === "bigint" || cell === Infinity || cell === -Infinity;
  return isOdd ? String(cell) : cell;
}

export type { Cell, Row } from "../data/types.ts";

/**
 * A TypeScript client of Treeline's own protocol. It works wherever `fetch` does, and imports no
 * server code.
 *
 * @module
 */
import { checkArgument, checkOptions } from "../door.ts";
import type { Row } from "../data/types.ts";

/** Types of the rows and predictions of a model; `treeline types` writes them. */
export interface ClientModel {
  /** A row: cells by column name. */
  readonly row: object;
  /** The prediction for one row. */
  readonly prediction: unknown;
}

/** An answer to `predict`: predictions, and what was noticed about the columns of the rows. */
export interface PredictAnswer<P> {
  /** Name of the model that answered. */
  readonly model: string;
  /** Hash of the model that answered. The same model has the same hash on every server. */
  readonly version: string;
  /** Predictions in the order of the rows. */
  readonly predictions: readonly P[];
  /** Features whose value is missing in some row. */
  readonly missing: readonly string[];
  /** Features that have, in some row, a value that is not a category of the model. */
  readonly unknown: readonly string[];
  /** Features that no row has. */
  readonly absent: readonly string[];
  /** Columns that the model does not use. */
  readonly ignored: readonly string[];
  /** With `kind: "proba"`: the classes, in the order of the probabilities of a row. */
  readonly classes?: readonly string[];
  /** With `reasons`: the largest contributions to the raw score of each row, the largest first. */
  readonly reasons?: readonly (readonly {
    readonly feature: string;
    readonly contribution: number;
  }[])[];
  /** With `onError: "partial"`: the rows (counted from 1) that could not be read, and why. */
  readonly errors?: readonly {
    readonly row: number;
    readonly code: string;
    readonly message: string;
    readonly column?: string;
  }[];
}

/** Options of a request. */
export interface PredictRequestOptions {
  /**
   * Form of the predictions; others than `default` do not have the type in {@linkcode ClientModel}.
   * @default "default"
   */
  readonly kind?: "default" | "value" | "class" | "proba" | "raw" | "leaf";
  /** Whether absent and unknown columns are refused. @default "model", the rules of the model */
  readonly columns?: "model" | "strict" | "lenient";
  /**
   * What a row that cannot be read does: `fail` refuses the request; `partial` gives null for the row
   * and lists it in `errors`. @default "fail"
   */
  readonly onError?: "fail" | "partial";
  /** Number of contributions to return for each row, the largest first; 1 or more. @default none */
  readonly reasons?: number;
  /** Number of rounds of trees to score with, from the first. @default all */
  readonly rounds?: number;
  /** Aborts the request, as in `fetch`. */
  readonly signal?: AbortSignal;
}

/** The error of a request that the server refused. */
export class ClientError extends Error {
  /** Stable code of the server to switch on; `E_INTERNAL` if the answer has none. */
  readonly code: string;
  /** HTTP status. */
  readonly status: number;
  /** Body of the answer: a problem as in RFC 9457, or undefined if it is not JSON. */
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
   * @param name Name of the model, or `name@version`.
   * @throws {ClientError} If the server refuses the request, or if the answer has no predictions. If
   * the server cannot be reached, the error is that of `fetch`.
   */
  predict<N extends keyof M & string, O extends PredictRequestOptions = PredictRequestOptions>(
    name: N,
    rows: M[N]["row"] | readonly M[N]["row"][],
    options?: O,
  ): Promise<
    PredictAnswer<M[N]["prediction"] | (O extends { readonly onError: "partial" } ? null : never)>
  >;
}

/** Options of {@linkcode createClient}. */
export interface ClientOptions {
  /** Bearer token to send with each request. @default none */
  readonly token?: string;
  /** Function to call instead of the global `fetch`; `createApp(…).fetch` scores in process. */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
}

/**
 * Makes a client of a server. The type parameter has the rows and predictions of its models.
 *
 * @param url Address of the server, without `/v1/…`.
 * @throws {ParameterError} `E_PARAM_UNKNOWN` or `E_PARAM_RANGE` for a wrong argument or option.
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

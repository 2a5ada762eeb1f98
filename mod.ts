export * from "./src/errors.ts";

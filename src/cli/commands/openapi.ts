/**
 * `treeline openapi MODEL…`.
 *
 * @module
 */
import { UsageError } from "../../errors.ts";
import type { Model } from "../../model/model.ts";
import { openapi } from "../../server/openapi/document.ts";
import type { CommandBody } from "../common/command.ts";
import { modelName, openModel } from "../input/models.ts";
import { tellFile } from "../output/told.ts";
import { OUT_FLAGS, writeOut } from "../output/write.ts";

/** Prints the OpenAPI document of a server that serves these models. */
export const openapiCommand: CommandBody = {
  arguments: [{ name: "MODEL", about: "Paths or URLs", required: true, many: true }],
  groups: [{
    title: "Output",
    flags: [
      { name: "url", kind: "text", value: "URL", about: "Where the server will be" },
      ...OUT_FLAGS,
    ],
  }],
  examples: ["treeline openapi adult.tlm --out openapi.json"],
  async run(call) {
    const models: { name: string; model: Model }[] = [];
    for (const path of call.args) {
      const name = modelName(path);
      if (models.some((other) => other.name === name)) {
        throw new UsageError("E_USAGE", `Cannot describe two models as "${name}"`);
      }
      models.push({ name, model: await openModel(call, path) });
    }
    const url = call.flags.text("url");
    const document = openapi(models, url === undefined ? {} : { url });
    const text = `${JSON.stringify(document, null, 2)}\n`;
    await writeOut(call, text);
    await tellFile(call, text);
  },
};

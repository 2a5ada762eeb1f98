/**
 * `treeline inspect MODEL`.
 *
 * @module
 */
import { UsageError } from "../../errors.ts";
import type { CommandBody, FlagSpec } from "../common/command.ts";
import { describeModel, describeText } from "../reports/describe_model.ts";
import { MODEL_ARGUMENT, openModel } from "../input/models.ts";
import { TREE_FORMS, treeIn } from "../reports/tree_forms.ts";

const FLAGS: readonly FlagSpec[] = [
  { name: "tree", kind: "number", value: "N", about: "Print this tree instead, counted from 0" },
  {
    name: "as",
    kind: "text",
    value: "FORM",
    choices: TREE_FORMS,
    about:
      "Form of the tree, where boxes is a line of JSON for each node, with an interval (above, upTo] for each feature",
    default: "text",
  },
];

/** Shows what is in a model file. */
export const inspectCommand: CommandBody = {
  arguments: [MODEL_ARGUMENT],
  groups: [{ title: "One tree", flags: FLAGS }],
  examples: [
    "treeline inspect adult.tlm",
    "treeline inspect adult.tlm --json",
    "treeline inspect tree.tlm --tree 0 --as svg > tree.svg",
  ],
  async run({ args, flags, io, out }) {
    const tree = flags.number("tree");
    if (tree === undefined && flags.has("as")) {
      throw new UsageError("E_USAGE", "Cannot use --as: which tree is not said (--tree N)", {
        details: { flag: "--as" },
      });
    }
    const model = await openModel({ io, out }, args[0]!);
    if (tree === undefined) {
      const description = describeModel(model);
      return await out.result(description, describeText(description));
    }
    const form = flags.text("as") ?? "text";
    const text = treeIn(form, model, tree);
    await out.result({ tree, as: form, text }, text);
  },
};

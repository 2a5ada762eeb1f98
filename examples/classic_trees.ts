// ID3, C4.5 and CART on the weather data of Quinlan's papers.
// Run: deno run examples/classic_trees.ts
import { parseCsv, rulesText, trainC45, trainCart, trainId3, treeText } from "../mod.ts";

const weather = parseCsv(
  `outlook,humidity,windy,play
sunny,high,no,no
sunny,high,yes,no
overcast,high,no,yes
rainy,high,no,yes
rainy,normal,no,yes
rainy,normal,yes,no
overcast,normal,yes,yes
sunny,high,no,no
sunny,normal,no,yes
rainy,normal,no,yes
sunny,normal,yes,yes
overcast,high,yes,yes
overcast,normal,no,yes
rainy,high,yes,no
`,
  { target: "play" },
);

// deno-lint-ignore no-console
const print = console.log;
print("ID3\n" + treeText(await trainId3(weather)));
print("C4.5\n" + treeText(await trainC45(weather)));
print("CART as rules\n" + rulesText(await trainCart(weather, { ccpAlpha: 0.01 })));

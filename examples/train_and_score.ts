// deno-lint-ignore-file no-console
// Rows typed in place: train, score by name in any order, and hear what was unusual.
import { parseCsv, train } from "../mod.ts";

const flats = parseCsv(
  `district,rooms,area,rent
north,2,45,700
north,3,70,950
south,2,50,900
south,4,110,1900
centre,1,30,850
centre,3,80,1800
`,
  { target: "rent" },
);
const model = await train(flats, { rounds: 50, minRowsPerCategory: 1, lambda: 0 });
const rents = model.predictValue([
  { area: 70, rooms: 3, district: "north" },
  { district: "east", rooms: 2, area: 48 },
], {
  onReport: ({ unknown }) => console.log("districts never seen:", unknown.get("district")),
});
console.log([...rents].map((rent) => rent.toFixed(0)));

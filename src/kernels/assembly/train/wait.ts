// Looking at a word that another thread writes. Twin: ../../twin/wait.ts.

export function lookWhile(at: usize, value: i32, looks: i32): i32 {
  let seen = value;
  for (; looks > 0 && seen == value; looks--) seen = atomic.load<i32>(at);
  return seen;
}

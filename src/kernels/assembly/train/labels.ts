// Labels of classes. Twin: ../../twin_labels.ts.

export function countLabels(labels: usize, n: i32, most: i32, counts: usize): i32 {
  memory.fill(counts, 0, <usize>most << 2);
  const end = labels + (<usize>n << 3);
  for (; labels < end; labels += 8) {
    const value = load<f64>(labels);
    if (!(value >= 0 && value < <f64>most)) return 0;
    const label = <i32>value;
    if (<f64>label != value) return 0;
    const at = counts + (<usize>label << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  return 1;
}

export function labelSigns(labels: usize, n: i32, out: usize): void {
  const end = labels + (<usize>n << 3);
  for (; labels < end; labels += 8, out += 4) {
    store<f32>(out, <f32>(1 - 2 * load<f64>(labels)));
  }
}

/** Every node of a syntax tree with its parent. */
export function* walk(node, parent = null) {
  yield [node, parent];
  for (const [key, value] of Object.entries(node)) {
    if (key === "loc" || key.endsWith("Comments")) continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child && typeof child.type === "string") yield* walk(child, node);
    }
  }
}

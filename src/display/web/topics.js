// Topics of the bus: which ones the page hears, and what an arriving one is about. Knows no payload.

/** Filters to subscribe; `feed` is "live" or "public". */
export function filters(prefix, feed) {
  const table = `${prefix}/table/+/${feed}`;
  return [
    `${prefix}/node/+/state`, `${table}/state`, `${table}/bpgn`, `${table}/board/+/clock`, `${table}/event`,
  ];
}

/** What a topic is about: `{kind, node | table, board}`, or null for a stranger. */
export function parse(prefix, topic) {
  if (!topic.startsWith(`${prefix}/`)) return null;
  const [root, id, feed, kind, board, leaf, ...more] = topic.slice(prefix.length + 1).split("/");
  if (root === "node" && feed === "state" && kind === undefined) return { kind: "node", node: id };
  if (root !== "table" || (feed !== "live" && feed !== "public") || more.length > 0) return null;
  if (kind === "board") return leaf === "clock" ? { kind: "clock", table: id, board: board.toUpperCase() } : null;
  if (board !== undefined || !["state", "bpgn", "event"].includes(kind)) return null;
  return { kind, table: id };
}

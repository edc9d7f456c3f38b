// Times tool_call through the extension's own connection: node roundtrip.mjs GUARD PROJECT.
// Prints the quantiles in microseconds as JSON.
import { Connection } from "../../cmd/pi-guard/extension/connection.ts";

const [guard, project] = process.argv.slice(2);
const calls = 5000;
const warmUp = 500;

const connection = new Connection(guard, {
  "ui/notify": () => ({}),
  "ui/status": () => ({}),
  "tools/setActive": () => ({}),
});
await connection.initialize("");
await connection.request("hook/sessionStart", {
  reason: "startup", sessionId: "bench", cwd: project, hasUI: false, ui: "print", perm: "", activeTools: ["bash"],
});
const times = [];
for (let n = 0; n < calls + warmUp; n++) {
  const start = process.hrtime.bigint();
  const verdict = await connection.request("hook/toolCall", {
    toolCallId: `call-${n}`, toolName: "bash", input: { command: "git status --short && git diff --stat" }, cwd: project,
  });
  const took = Number(process.hrtime.bigint() - start) / 1000;
  if (verdict.block !== false) throw new Error(`the call was blocked: ${verdict.reason}`);
  if (n >= warmUp) times.push(took);
  await connection.request("hook/toolResult", {
    toolCallId: `call-${n}`, toolName: "bash", input: { command: "git status --short && git diff --stat" },
    content: [{ type: "text", text: "(no output)" }], isError: false, cwd: project,
  });
}
await connection.close();
times.sort((a, b) => a - b);
const quantile = (q) => times[Math.floor(q * times.length)];
console.log(JSON.stringify({ p50: quantile(0.5), p99: quantile(0.99) }));

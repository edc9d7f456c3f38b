// One guard process and the conversation with it: JSON-RPC 2.0, one message a
// line, both directions. It judges nothing. Whatever goes wrong ends the
// process and fails every request that waits, so that the caller can block.

import { type ChildProcess, spawn } from "node:child_process";
import { dirname } from "node:path";
import { type GuardMethods, type HostMethods, MAX_MESSAGE, PROTOCOL } from "./protocol.ts";

/** How often a guard that owes an answer is looked at, in milliseconds. */
const TICK = 1000;
/** After how many ticks of silence it is taken for hung. A prompt is no silence: the guard answers pings meanwhile. */
const SILENT_TICKS = 3;
/** How long a guard may take to end by itself, in milliseconds. */
const FAREWELL = 1000;

/** What the guard may ask of pi. */
export type HostHandlers = {
  [M in keyof HostMethods]: (
    params: HostMethods[M]["params"],
    signal: AbortSignal,
  ) => Promise<HostMethods[M]["result"]> | HostMethods[M]["result"];
};

/** A request that the caller took back. */
export class Aborted extends Error {}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface Message {
  id?: number | string | null;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { message?: string };
}

export class Connection {
  /** Why the connection is of no more use; undefined while it is. */
  failure: string | undefined;

  private readonly child: ChildProcess;
  private readonly pending = new Map<number, Pending>();
  private readonly asked = new Map<number | string, AbortController>();
  private readonly ended: Promise<void>;
  private readonly killAtExit = () => this.child.kill("SIGKILL");
  private chunks: Buffer[] = [];
  private held = 0;
  private stderr = "";
  private nextId = 1;
  private timer: NodeJS.Timeout | undefined;
  private heard = false;
  private silent = 0;
  private pinged = false;

  constructor(
    binary: string,
    private readonly host: HostHandlers,
  ) {
    this.child = spawn(binary, ["serve"], { stdio: ["pipe", "pipe", "pipe"], cwd: dirname(binary) });
    let end = () => {};
    this.ended = new Promise((resolve) => {
      end = resolve;
    });
    this.child.on("error", (error) => {
      end();
      this.fail(`it could not be run (${error.message})`);
    });
    this.child.on("exit", () => {
      process.removeListener("exit", this.killAtExit);
      end();
    });
    // Unlike "exit", "close" comes after everything that the guard wrote.
    this.child.on("close", (code, signal) => this.fail(this.exitText(code, signal)));
    this.child.stdin?.on("error", () => {}); // the exit says more
    this.child.stdout?.on("error", () => {});
    this.child.stderr?.on("error", () => {});
    this.child.stdout?.on("data", (chunk: Buffer) => this.receive(chunk));
    this.child.stderr?.on("data", (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk.toString("utf8")).slice(-2000);
    });
    process.on("exit", this.killAtExit);
    // Only a request that waits keeps pi alive, through the timer.
    this.child.unref();
    for (const stream of this.child.stdio) (stream as { unref?: () => void } | null)?.unref?.();
  }

  /** Asks the guard. Rejects when it cannot answer, and with Aborted as soon as signal says so. */
  request<M extends keyof GuardMethods>(
    method: M,
    params: GuardMethods[M]["params"],
    signal?: AbortSignal,
  ): Promise<GuardMethods[M]["result"]> {
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) return reject(new Error(this.failure));
      if (signal?.aborted) return reject(new Aborted("aborted"));
      const id = this.nextId++;
      const line = JSON.stringify({ jsonrpc: "2.0", id, method, params });
      if (Buffer.byteLength(line) > MAX_MESSAGE) {
        return reject(new Error(`the call is larger than ${MAX_MESSAGE >> 20} MiB and cannot be judged`));
      }
      const abort = () => {
        this.settle(id)?.reject(new Aborted("aborted"));
        this.send({ method: "cancel", params: { id } });
      };
      signal?.addEventListener("abort", abort, { once: true });
      const done = () => signal?.removeEventListener("abort", abort);
      this.pending.set(id, {
        resolve: (result) => {
          done();
          resolve(result as GuardMethods[M]["result"]);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      this.watch();
      this.child.stdin?.write(`${line}\n`);
    });
  }

  /** Opens the conversation: a guard of another version is of no use. */
  async initialize(host: string, hostDir: string): Promise<GuardMethods["initialize"]["result"]> {
    const answer = await this.request("initialize", { protocol: PROTOCOL, host, hostDir });
    if (answer?.protocol !== PROTOCOL) {
      this.fail(
        `the extension speaks protocol ${PROTOCOL} and the binary ${answer?.protocol}: install both from the same version of pi-guard`,
      );
      throw new Error(this.failure);
    }
    return answer;
  }

  /** Ends the guard: by itself when it can, by force when not. */
  async close(): Promise<void> {
    this.failure ??= "it was shut down";
    this.rejectAll();
    this.child.stdin?.end();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FAREWELL);
    });
    await Promise.race([this.ended, late]);
    clearTimeout(timer);
    this.child.kill("SIGKILL"); // does nothing to one that has ended
  }

  private exitText(code: number | null, signal: string | null): string {
    const how = signal ? `was ended by ${signal}` : `ended with exit status ${code}`;
    const said = this.stderr.trim().split("\n").slice(0, 3).join(" | ").slice(0, 300);
    return said ? `it ${how}, saying: ${said}` : `it ${how}`;
  }

  private fail(why: string): void {
    this.failure ??= why;
    this.rejectAll();
    for (const controller of this.asked.values()) controller.abort();
    this.asked.clear();
    this.child.kill("SIGKILL");
  }

  private rejectAll(): void {
    for (const id of [...this.pending.keys()]) this.settle(id)?.reject(new Error(this.failure));
  }

  private settle(id: number): Pending | undefined {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    if (this.pending.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    return pending;
  }

  private watch(): void {
    if (this.timer) return;
    this.heard = false;
    this.silent = 0;
    this.pinged = false;
    this.timer = setInterval(() => this.tick(), TICK);
  }

  private tick(): void {
    if (this.heard) this.silent = 0;
    else if (this.pinged && ++this.silent >= SILENT_TICKS) return this.fail("it did not answer");
    this.heard = false;
    this.pinged = true;
    this.send({ id: this.nextId++, method: "ping", params: {} });
  }

  private send(message: Message): void {
    if (this.failure === undefined) this.child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  private receive(chunk: Buffer): void {
    this.heard = true;
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.chunks.push(chunk.subarray(start, end));
      const line = Buffer.concat(this.chunks).toString("utf8");
      this.chunks = [];
      this.held = 0;
      start = end + 1;
      if (this.failure === undefined) this.read(line);
    }
    this.chunks.push(chunk.subarray(start));
    this.held += chunk.length - start;
    if (this.held > MAX_MESSAGE) this.fail("it spoke nonsense (a message without an end)");
  }

  private read(line: string): void {
    let message: Message;
    try {
      message = JSON.parse(line);
    } catch {
      return this.fail(`it spoke nonsense (${JSON.stringify(line.slice(0, 60))})`);
    }
    if (typeof message !== "object" || message === null || Array.isArray(message)) {
      return this.fail(`it spoke nonsense (${JSON.stringify(line.slice(0, 60))})`);
    }
    if (typeof message.method === "string") return void this.serve(message);
    if (message.id === null && message.error) return this.fail(`it refused a message (${message.error.message})`);
    if (typeof message.id !== "number" || !("result" in message || "error" in message)) {
      return this.fail(`it spoke nonsense (${JSON.stringify(line.slice(0, 60))})`);
    }
    const pending = this.settle(message.id);
    if (message.error) pending?.reject(new Error(message.error.message ?? "it gave an error without a text"));
    else pending?.resolve(message.result);
  }

  /** Does what the guard asks of pi. */
  private async serve(message: Message): Promise<void> {
    const { id, method, params } = message;
    if (method === "cancel") {
      this.asked.get((params as { id: number | string }).id)?.abort();
      return;
    }
    if (id === undefined || id === null) return;
    const handler = this.host[method as keyof HostMethods] as
      | ((params: unknown, signal: AbortSignal) => unknown)
      | undefined;
    if (!handler) {
      this.send({ id, error: { message: `unknown method ${method}` } });
      return;
    }
    const controller = new AbortController();
    this.asked.set(id, controller);
    try {
      this.send({ id, result: (await handler(params, controller.signal)) ?? {} });
    } catch (error) {
      this.send({ id, error: { message: String((error as Error)?.message ?? error) } });
    } finally {
      this.asked.delete(id);
    }
  }
}

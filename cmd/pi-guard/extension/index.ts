// The extension that pi loads. It forwards pi's events to the guard, shows what
// the guard tells it to show, and blocks a call whenever there is no answer.
// It decides nothing else.

import { existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, join, resolve as absolute } from "node:path";
import { fileURLToPath } from "node:url";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { Aborted, Connection, type HostHandlers } from "./connection.ts";
import { COMMANDS, type GuardMethods, type SessionStart, SHORTCUTS, type ToolSpec } from "./protocol.ts";

type Content = { type: "text"; text: string };

/** What the model and the person are told when the guard itself fails. */
function failureText(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return (
    `Blocked by pi-guard: the guard itself failed, ${why}. Nothing was run. ` +
    "This says nothing about the call. The guard is started again at the next call: try the same call once more; " +
    "if it fails again, stop and ask the user to run \"pi-guard doctor\" in a terminal."
  );
}

/** The absolute path of the binary, which is run in a directory of its own: PI_GUARD_BIN, else beside the package, else on PATH. */
function findBinary(): string {
  const named = process.env.PI_GUARD_BIN;
  if (named) {
    if (existsSync(named)) return absolute(named);
    throw new Error(`PI_GUARD_BIN names ${named}, which does not exist`);
  }
  const tried: string[] = [];
  const name = process.platform === "win32" ? "pi-guard.exe" : "pi-guard";
  for (const dir of [packageRoot(), ...(process.env.PATH ?? "").split(delimiter)]) {
    if (!dir) continue;
    const candidate = dir === packageRoot() ? join(dir, "bin", name) : join(dir, name);
    if (existsSync(candidate)) return absolute(candidate);
    if (dir === packageRoot()) tried.push(candidate);
  }
  throw new Error(
    `its binary was not found (PI_GUARD_BIN is not set, ${tried[0] ?? "the package"} does not exist, and PATH has no ${name}): ` +
      "build it with \"go build -o bin/pi-guard ./cmd/pi-guard\" or put it on PATH",
  );
}

/** The nearest package around a file whose name fits. */
function packageAround(file: string, fits: (name: string) => boolean): { dir: string; version: string } {
  let dir = dirname(file);
  for (let up = 0; up < 5; up++) {
    try {
      const { name, version } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
      if (fits(String(name))) return { dir, version: String(version ?? "") };
    } catch {
      // not here
    }
    dir = dirname(dir);
  }
  return { dir: "", version: "" };
}

/** The directory of this extension's own package.json. */
function packageRoot(): string {
  return packageAround(fileURLToPath(import.meta.url), (name) => name === "pi-guard").dir;
}

/** The pi that runs this. */
function hostPackage(): { dir: string; version: string } {
  try {
    return packageAround(realpathSync(process.argv[1] ?? ""), (name) => name.endsWith("/pi-coding-agent"));
  } catch {
    return { dir: "", version: "" };
  }
}

/** The guard of the session in progress: at most one process, started again when it has failed. */
class Guard {
  private connection: Connection | undefined;
  private starting: Promise<Connection> | undefined;
  private sessionId = "";
  private readonly tools = new Set<string>();
  /** The context of the latest event: dialogs are shown through it. */
  private ctx: ExtensionContext | undefined;
  /** What the agent is to be told when it ends its work now. */
  handoff: string | undefined;

  constructor(private readonly pi: ExtensionAPI) {}

  /** Why no guard could be started the last time; undefined when one could. */
  private refused: Error | undefined;

  /** Tells the guard of an event that nothing hangs on. A guard that could not be started is not tried again for it. */
  async tell<M extends keyof GuardMethods>(
    ctx: ExtensionContext,
    method: M,
    params: GuardMethods[M]["params"],
  ): Promise<GuardMethods[M]["result"]> {
    if (this.refused) throw this.refused;
    return this.ask(ctx, method, params);
  }

  /** Makes a guard ready for the session of ctx and asks it. */
  async ask<M extends keyof GuardMethods>(
    ctx: ExtensionContext,
    method: M,
    params: GuardMethods[M]["params"],
  ): Promise<GuardMethods[M]["result"]> {
    const connection = await this.ready(ctx, { reason: "restart" });
    return connection.request(method, params, ctx.signal);
  }

  /** Begins a session, unless this guard has it already. */
  async begin(ctx: ExtensionContext, event: { reason: string; previousSessionFile?: string }): Promise<void> {
    await this.ready(ctx, event);
  }

  /** Ends the session and its guard. */
  async end(reason: string): Promise<void> {
    const connection = this.connection;
    this.connection = undefined;
    this.starting = undefined;
    this.sessionId = "";
    this.handoff = undefined;
    if (!connection) return;
    const farewell = AbortSignal.timeout(1000);
    await connection.request("hook/sessionShutdown", { reason }, farewell).catch(() => {});
    await connection.close();
  }

  private async ready(
    ctx: ExtensionContext,
    event: { reason: string; previousSessionFile?: string },
  ): Promise<Connection> {
    this.ctx = ctx;
    const sessionId = ctx.sessionManager.getSessionId();
    if (this.sessionId !== "" && this.sessionId !== sessionId) await this.end("new");
    if (this.connection && this.connection.failure === undefined) return this.connection;
    this.sessionId = sessionId;
    this.starting ??= this.start(ctx, event)
      .then(
        (connection) => {
          this.refused = undefined;
          return connection;
        },
        (error) => {
          this.refused = error;
          throw error;
        },
      )
      .finally(() => {
        this.starting = undefined;
      });
    return this.starting;
  }

  private async start(
    ctx: ExtensionContext,
    event: { reason: string; previousSessionFile?: string },
  ): Promise<Connection> {
    const connection = new Connection(findBinary(), this.hostHandlers());
    try {
      const host = hostPackage();
      const { tools } = await connection.initialize(host.version, host.dir);
      for (const tool of tools ?? []) this.registerTool(tool);
      const started = await connection.request("hook/sessionStart", this.sessionStart(ctx, event));
      for (const notice of started.notices ?? []) this.notify(ctx, notice.text, notice.level);
    } catch (error) {
      await connection.close();
      throw error;
    }
    this.connection = connection;
    return connection;
  }

  private sessionStart(
    ctx: ExtensionContext,
    event: { reason: string; previousSessionFile?: string },
  ): SessionStart {
    const perm = this.pi.getFlag("perm");
    return {
      reason: event.reason,
      previousSessionFile: event.previousSessionFile,
      sessionId: this.sessionId,
      cwd: ctx.cwd,
      hasUI: ctx.hasUI,
      ui: (ctx as { mode?: string }).mode ?? "",
      trusted: (ctx as { isProjectTrusted?: () => boolean }).isProjectTrusted?.() ?? false,
      perm: typeof perm === "string" ? perm : "",
      activeTools: this.pi.getActiveTools(),
    };
  }

  private registerTool(spec: ToolSpec): void {
    if (this.tools.has(spec.name)) return;
    this.tools.add(spec.name);
    type Definition = Parameters<ExtensionAPI["registerTool"]>[0];
    this.pi.registerTool({
      name: spec.name,
      label: spec.label,
      description: spec.description,
      parameters: spec.parameters as Definition["parameters"],
      execute: async (toolCallId, input, signal, _onUpdate, ctx) => {
        const connection = await this.ready(ctx, { reason: "restart" });
        const output = await connection.request(
          "tool/call",
          { toolCallId, name: spec.name, input, cwd: ctx.cwd },
          signal ?? ctx.signal,
        );
        if (output.isError) throw new Error(output.text);
        return { content: [{ type: "text", text: output.text }], details: output.details };
      },
    });
  }

  /** Completes a command's arguments, when a guard is there to ask. */
  async complete(name: string, prefix: string): Promise<{ value: string; label: string; description?: string }[] | null> {
    if (!this.connection) return null;
    try {
      const { items } = await this.connection.request("command/complete", { name, prefix });
      return items?.length ? items : null;
    } catch {
      return null;
    }
  }

  notify(ctx: ExtensionContext, text: string, level: string): void {
    if (ctx.hasUI) ctx.ui.notify(text, level as "info" | "warning" | "error");
  }

  private hostHandlers(): HostHandlers {
    return {
      "ui/select": (params, signal) =>
        this.dialog(signal, (ui, options) => ui.select(params.title, params.options, { ...options, timeout: params.timeoutMs })),
      "ui/input": (params, signal) =>
        this.dialog(signal, (ui, options) => ui.input(params.title, params.placeholder, { ...options, timeout: params.timeoutMs })),
      "ui/notify": (params) => {
        if (this.ctx) this.notify(this.ctx, params.text, params.level);
        return {};
      },
      "ui/status": (params) => {
        if (this.ctx?.hasUI) this.ctx.ui.setStatus("pi-guard", params.text || undefined);
        return {};
      },
      "tools/setActive": (params) => {
        this.pi.setActiveTools(params.names);
        return {};
      },
      "message/followUp": (params) => {
        this.followUp(params.text);
        return {};
      },
    };
  }

  /** Shows a dialog until it is answered, cancelled by the guard, or the run is aborted. */
  private async dialog(
    cancelled: AbortSignal,
    show: (ui: ExtensionContext["ui"], options: { signal: AbortSignal }) => Promise<string | undefined>,
  ): Promise<{ answered: boolean; value: string }> {
    const ctx = this.ctx;
    if (!ctx?.hasUI) return { answered: false, value: "" };
    const signal = ctx.signal ? AbortSignal.any([cancelled, ctx.signal]) : cancelled;
    // An abort does not always close a dialog, so it ends the waiting too.
    const aborted = new Promise<undefined>((resolve) => {
      signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    const value = await Promise.race([show(ctx.ui, { signal }), aborted]);
    return { answered: value !== undefined, value: value ?? "" };
  }

  /** Gives the agent a message to go on with after its turn. */
  followUp(text: string): void {
    this.pi.sendMessage(
      { customType: "pi-guard", content: text, display: true, details: undefined },
      { triggerTurn: true, deliverAs: "followUp" },
    );
  }
}

/** The text of an assistant message. */
function textOf(message: unknown): string {
  const content = (message as { content?: unknown })?.content;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter((block): block is Content => block?.type === "text")
    .map((block) => block.text)
    .join("\n");
}

/** Puts what the guard wants in the place of a call's input, in the same object, which pi goes on to use. */
function replaceInput(target: Record<string, unknown>, source: unknown): void {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, source);
}

export default function piGuard(pi: ExtensionAPI): void {
  const guard = new Guard(pi);

  pi.registerFlag("perm", { type: "string", description: "Permission mode to start in: default, plan, goal, build, yolo or one of your own" });

  pi.on("session_start", async (event, ctx) => {
    try {
      const { reason, previousSessionFile } = event as { reason?: string; previousSessionFile?: string };
      await guard.begin(ctx, { reason: reason ?? "startup", previousSessionFile });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      guard.notify(ctx, `pi-guard is not running: ${why}. Every tool call is blocked until it is.`, "error");
    }
  });

  pi.on("session_shutdown", async (event) => {
    await guard.end((event as { reason?: string }).reason ?? "quit").catch(() => {});
  });

  pi.on("tool_call", async (event, ctx) => {
    try {
      const verdict = await guard.ask(ctx, "hook/toolCall", {
        toolCallId: event.toolCallId,
        parentToolCallId: (event as { parentToolCallId?: string }).parentToolCallId,
        toolName: event.toolName,
        input: event.input,
        cwd: ctx.cwd,
      });
      if (verdict.block !== false) {
        return { block: true, reason: verdict.reason || "Blocked by pi-guard.", terminate: verdict.terminate };
      }
      Object.assign(process.env, verdict.env);
      if (verdict.input !== undefined) replaceInput(event.input as Record<string, unknown>, verdict.input);
      return undefined;
    } catch (error) {
      if (error instanceof Aborted) return { block: true, reason: "Blocked by pi-guard: the run was aborted before the call was judged." };
      return { block: true, reason: failureText(error) };
    }
  });

  pi.on("tool_result", async (event, ctx) => {
    const structured = (event as { structuredContent?: unknown }).structuredContent;
    try {
      const patch = await guard.ask(ctx, "hook/toolResult", {
        toolCallId: event.toolCallId,
        parentToolCallId: (event as { parentToolCallId?: string }).parentToolCallId,
        toolName: event.toolName,
        input: event.input,
        content: event.content,
        structuredContent: structured,
        isError: event.isError,
        cwd: ctx.cwd,
      });
      guard.handoff = patch.handoff || undefined;
      if (patch.content === undefined) return undefined;
      // pi drops what scripts would see when only the content is replaced, which is what a filter needs.
      return {
        content: patch.content as typeof event.content,
        ...(patch.structuredContent === undefined ? {} : { structuredContent: patch.structuredContent as never }),
      };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const text = `pi-guard withheld this result: the tool ran, but the guard failed before it could look at what came back (${why}). Run it again if it is safe to repeat.`;
      return { content: [{ type: "text", text }], structuredContent: null as never, isError: true };
    }
  });

  pi.on("before_agent_start", async (event, ctx) => {
    try {
      const { section } = await guard.tell(ctx, "hook/beforeAgentStart", { activeTools: pi.getActiveTools() });
      // Newer versions send a changed section alone; older ones know only the whole prompt.
      const sections = (event.systemPromptOptions as { sections?: Record<string, string> } | undefined)?.sections;
      if (sections) {
        if (section) sections["pi-guard"] = section;
        else delete sections["pi-guard"];
        return undefined;
      }
      return section ? { systemPrompt: `${event.systemPrompt}\n\n${section}` } : undefined;
    } catch {
      return undefined; // the calls themselves are blocked while there is no guard
    }
  });

  pi.on("message_end", async (event, ctx) => {
    const message = event.message;
    if (message.role !== "assistant" || !Array.isArray(message.content)) return undefined;
    if (message.content.some((block) => block.type === "toolCall")) return undefined;
    try {
      const { footer } = await guard.tell(ctx, "hook/messageEnd", { text: textOf(message) });
      if (!footer) return undefined;
      return { message: { ...message, content: [...message.content, { type: "text" as const, text: `\n\n${footer}` }] } };
    } catch {
      return undefined;
    }
  });

  pi.on("user_bash", async (event, ctx) => {
    try {
      const answer = await guard.tell(ctx, "hook/userBash", {
        command: event.command,
        hidden: event.excludeFromContext,
        cwd: event.cwd,
      });
      if (!answer.block) return undefined;
      return { result: { output: answer.reason ?? "Blocked by pi-guard.", exitCode: 1, cancelled: false, truncated: false } };
    } catch {
      guard.notify(ctx, "pi-guard is not running: this command of yours was not recorded.", "warning");
      return undefined; // a person's own command is the person's own
    }
  });

  pi.on("input", async (event, ctx) => {
    try {
      const { handled } = await guard.tell(ctx, "hook/input", { text: event.text, source: event.source });
      return handled ? { action: "handled" as const } : { action: "continue" as const };
    } catch {
      return { action: "continue" as const };
    }
  });

  pi.on("turn_start", async (event, ctx) => {
    guard.handoff = undefined;
    await guard.tell(ctx, "hook/turnStart", { index: event.turnIndex, toolResults: 0 }).catch(() => {});
  });

  pi.on("turn_end", async (event, ctx) => {
    // Versions that raise agent_before_settle say how the turn ended; the
    // others do not wait for an answer here, so what to say is known before.
    const handoff = "outcome" in (event as object) || event.toolResults.length > 0 ? undefined : guard.handoff;
    if (handoff !== undefined) {
      guard.handoff = undefined;
      guard.followUp(handoff);
    }
    await guard
      .tell(ctx, "hook/turnEnd", {
        index: event.turnIndex,
        toolResults: event.toolResults.length,
        handedOff: handoff !== undefined,
      })
      .catch(() => {});
  });

  pi.on("agent_end", async (_event, ctx) => {
    await guard.tell(ctx, "hook/agentEnd", { outcome: "" }).catch(() => {});
  });

  type BeforeSettle = { outcome: string; entries: unknown[] };
  type On = (event: string, handler: (event: BeforeSettle, ctx: ExtensionContext) => Promise<unknown>) => void;
  (pi.on as unknown as On)("agent_before_settle", async (event, ctx) => {
    try {
      const answer = await guard.tell(ctx, "hook/beforeSettle", { outcome: event.outcome });
      if (!answer.continue) return undefined;
      const entry = { type: "custom_message", customType: "pi-guard", content: answer.message ?? "", display: true };
      return { entries: [...event.entries, entry], continue: true };
    } catch {
      return undefined;
    }
  });

  const run = async (ctx: ExtensionContext, name: string, args: string) => {
    try {
      await guard.ask(ctx, "command/run", { name, args, activeTools: pi.getActiveTools() });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      guard.notify(ctx, `pi-guard could not do /${name}: ${why}`, "error");
    }
  };
  for (const command of COMMANDS) {
    pi.registerCommand(command.name, {
      description: command.description,
      getArgumentCompletions: command.arguments ? (prefix) => guard.complete(command.name, prefix) : undefined,
      handler: (args, ctx) => run(ctx, command.name, args),
    });
  }
  for (const shortcut of SHORTCUTS) {
    type Key = Parameters<ExtensionAPI["registerShortcut"]>[0];
    pi.registerShortcut(shortcut.key as Key, {
      description: shortcut.description,
      handler: (ctx) => run(ctx, shortcut.command, shortcut.args),
    });
  }
}

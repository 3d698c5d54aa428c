// The plugin for opencode. It runs in opencode's process, starts the host of the session as a child and speaks MCP with it, one
// JSON object a line; every hook is a call of its tool `hook`. Where the host is missing, hung or gone, opencode works as if
// this were not installed; with STRICT its calls are refused.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const HOST = ['npx', 'vibe-engine', 'agent-host', 'opencode'];
const STRICT = false;
const TOOLS = [];
// A prompt may wait for a snapshot of every file, and a tool for opencode itself.
const LIMITS_MS = { hook: 10_000, prompt: 22_000, tool: 60_000 };

// `isHung` is called where an answer did not come in time. That host is not waited for again until it answers.
const startHost = (directory, isHung) => {
  const waiting = new Map();
  let asked = 0;
  const child = spawn(HOST[0], HOST.slice(1), { cwd: directory, stdio: ['pipe', 'pipe', 'ignore'] });
  const host = { gone: false, hung: false };
  const giveUp = (id) => {
    if (!host.hung) isHung();
    host.hung = true;
    give(id, null);
  };
  const give = (id, reply) => {
    waiting.get(id)?.(reply);
    waiting.delete(id);
  };
  const lose = () => {
    host.gone = true;
    for (const id of [...waiting.keys()]) give(id, null);
  };
  child.on('error', lose);
  child.on('close', lose);
  child.stdin.on('error', lose);
  createInterface({ input: child.stdout }).on('line', (line) => {
    host.hung = false;
    try {
      const reply = JSON.parse(line);
      give(reply.id, reply);
    } catch {}
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  // Resolves to null where there is no answer.
  const ask = (method, params, limit_ms) => {
    if (host.gone || (host.hung && limit_ms !== LIMITS_MS.tool)) return Promise.resolve(null);
    return new Promise((resolve) => {
      asked += 1;
      const id = asked;
      const limit = setTimeout(() => giveUp(id), limit_ms);
      waiting.set(id, (reply) => {
        clearTimeout(limit);
        resolve(reply);
      });
      send({ id, method, params });
    });
  };
  const clientInfo = { name: 'opencode', version: '1' };
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const ready = ask('initialize', hello, LIMITS_MS.prompt).then(() =>
    send({ method: 'notifications/initialized' }),
  );
  // Its text, or null.
  host.call = async (name, given, session, limit_ms = LIMITS_MS.tool) => {
    await ready;
    const _meta = session === undefined ? {} : { _meta: { threadId: session } };
    const reply = await ask('tools/call', { name, arguments: given, ..._meta }, limit_ms);
    return reply?.result?.content?.[0]?.text ?? null;
  };
  host.hook = async (fields) => {
    const limit_ms = fields.event === 'chat.message' ? LIMITS_MS.prompt : LIMITS_MS.hook;
    try {
      return JSON.parse(await host.call('hook', fields, undefined, limit_ms));
    } catch {
      return null;
    }
  };
  host.end = () => child.stdin.end();
  return host;
};

const HUNG = 'Vibe Engine does not answer. What happens until it does is not recorded.';

export const Vibe = async ({ directory, client }) => {
  const tellHung = () => {
    const body = { title: 'Vibe Engine', message: HUNG, variant: 'warning' };
    Promise.resolve(client?.tui?.showToast?.({ body })).catch(() => {});
  };
  const start = () => startHost(directory, tellHung);
  let host = start();
  /** Sub-agents are sessions of their own: by their id, the session that started them and what kind they are. */
  const agents = new Map();
  /** What the model is to know, by session. */
  const news = new Map();

  const whose = (id) => {
    let root = id;
    while (agents.get(root)?.parent) root = agents.get(root).parent;
    if (root === id) return { session_id: id };
    return { session_id: root, agent_id: id, agent_type: agents.get(id).kind ?? 'agent' };
  };
  const tell = async (event, session, fields) => {
    if (host.gone) host = start();
    return await host.hook({ event, ...whose(session), cwd: directory, ...fields });
  };

  const tools = TOOLS.map(([name, description, args]) => [
    `vibe_${name}`,
    {
      description,
      args,
      execute: async (given, { sessionID }) =>
        (await host.call(name, given, whose(sessionID).session_id)) ??
        'The host of this session cannot be reached.',
    },
  ]);

  return {
    tool: Object.fromEntries(tools),
    event: async ({ event: { type, properties } }) => {
      const { info, part, sessionID } = properties ?? {};
      if (type === 'session.created') {
        if (info.parentID) agents.set(info.id, { parent: info.parentID });
        await tell(type, info.id, {});
      } else if (type === 'session.deleted') await tell(type, info.id, {});
      else if (type === 'session.idle') await tell(type, sessionID, {});
      // A refused call has no tool.execute.after; one that failed in its tool neither.
      else if (type === 'message.part.updated' && part.type === 'tool' && part.state.status === 'error')
        await tell('tool.error', part.sessionID, {
          call_id: part.callID,
          tool: part.tool,
          args: part.state.input,
          error: part.state.error,
        });
    },
    'chat.message': async ({ sessionID, agent }, { message, parts }) => {
      const known = agents.get(sessionID);
      if (known) known.kind = agent ?? message.agent;
      const prompt = parts
        .flatMap((part) => (part.type === 'text' && !part.synthetic ? [part.text] : []))
        .join('\n');
      const answer = await tell('chat.message', sessionID, { message_id: message.id, prompt });
      if (answer?.context) news.set(sessionID, answer.context);
      else news.delete(sessionID);
    },
    'experimental.chat.system.transform': async ({ sessionID }, { system }) => {
      if (news.has(sessionID)) system.push(news.get(sessionID));
    },
    'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
      const answer = await tell('tool.execute.before', sessionID, { call_id: callID, tool, args });
      if (answer?.deny) throw new Error(answer.deny);
      if (answer === null && STRICT)
        throw new Error(
          'Vibe Engine cannot be reached, and it was installed with --strict: nothing may run unrecorded.',
        );
    },
    'tool.execute.after': async ({ tool, sessionID, callID, args }, result) => {
      const { title, metadata, output, content } = result;
      const fields = { call_id: callID, tool, args, title, metadata, output: output ?? content };
      const answer = await tell('tool.execute.after', sessionID, fields);
      if (answer?.context && typeof output === 'string') result.output = `${output}\n\n${answer.context}`;
    },
    dispose: async () => host.end(),
  };
};

/** `ui`: serves the dashboard on this machine and opens it. Everything about the server is loaded when it is called. */
import { InvalidInputError } from '../../errors.ts';
import { onEndSignal } from '../../system/process/signals.ts';
import { type Call, verb } from '../../verbs/kit/verb.ts';

/** The first of those that are tried. */
const PORT = 7433;
const TRIED = 20;

export const ui = verb({
  name: 'ui',
  group: 'look',
  options: {
    port: { value: 'n', number: { min: 0, max: 65_535, whole: true }, about: 'ui.option.port' },
    'no-open': { about: 'ui.option.no_open' },
    'read-only': { about: 'ui.option.read_only' },
    reveal: { about: 'ui.option.reveal' },
    host: { value: 'address', about: 'ui.option.host' },
    'allow-host': { value: 'name', many: true, about: 'ui.option.allow_host' },
    write: { about: 'ui.option.write' },
  },
  examples: ['ui', 'ui --read-only', 'ui --port 8000 --no-open'],
  data: { address: 'string', port: 'number', read_only: 'boolean' },
  async run(call) {
    const { say, options, tell } = call;
    const { port, host, 'allow-host': names, reveal } = options;
    if (host !== undefined && names.length === 0) throw unnamed(call, host);
    const read_only = options['read-only'] || (host !== undefined && !options.write);
    const { serve } = await import('./serve.ts');
    let forget = (): void => {};
    const dashboard = await serve({
      ...call,
      read_only,
      reveal,
      ports: port === undefined ? Array.from({ length: TRIED }, (_, at) => PORT + at) : [port],
      onEntered: () => forget(),
      ...(host === undefined ? {} : { elsewhere: { host, names } }),
    });
    if (!dashboard) throw taken(call, port ?? PORT);
    const ended = Promise.withResolvers<void>();
    const ignore = onEndSignal(() => ended.resolve());
    call.signal.addEventListener('abort', () => ended.resolve());
    try {
      const { address } = dashboard;
      tell(say('ui.address', { address }));
      if (read_only) tell(say('ui.read_only'));
      if (reveal) tell(say('ui.reveal'));
      tell(say('ui.end'));
      if (!options['no-open']) {
        const { openAddress } = await import('../../system/user/open-browser.ts');
        forget = await openAddress(address);
      }
      await ended.promise;
      return { data: { address, port: dashboard.port, read_only }, lines: [] };
    } finally {
      ignore();
      forget();
      await dashboard.close();
    }
  },
});

function unnamed({ say }: Pick<Call, 'say'>, host: string): InvalidInputError {
  return new InvalidInputError('USAGE', say('ui.unnamed', { host }), {
    data: { host },
    hint: say('ui.unnamed_hint'),
  });
}

function taken({ say }: Pick<Call, 'say'>, port: number): InvalidInputError {
  return new InvalidInputError('USAGE', say('ui.taken', { port }), {
    data: { port },
    hint: say('ui.taken_hint'),
  });
}

/** Errors in text: the lines that report one. */
import { eachLine } from './lines.ts';

/**
 * `about`: text by people and agents, and what a failed tool printed, where any mention counts. `output`: what a tool
 * printed that succeeded, often the source of a program, where only what reports an error does.
 */
export function findErrors(text: string, kind: 'about' | 'output', found: (line: string) => void): void {
  const seen = new Set<string>();
  const once = (line: string) => {
    if (!seen.has(line)) found(line);
    seen.add(line);
  };
  const patterns = kind === 'about' ? [MENTIONED, CODES] : [NAMED, REPORTED, CODES];
  for (const pattern of patterns) eachLine(text, pattern, once);
}

const PHRASES =
  'command not found|no such file|permission denied|access denied|segmentation fault|core dumped|out of memory|' +
  'traceback \\(most|unhandled|uncaught|panicked|assertion failed|timed out|connection (?:refused|reset)|' +
  'cannot find|could not (?:find|open|read|resolve|connect)|exit(?:ed)?(?: with)?(?: code| status):? [1-9]|' +
  '\\bfail(?:ed|ure|ures)\\b|npm err!|错误|失败|异常|錯誤|失敗|異常|エラー';

/** `TypeError: …`, as languages print it. */
const NAMED = /(?:Error|Exception)(?: \[[^\]\n]{1,80}\])?: \S/g;

/** A word that begins the line, `error:` behind a place in a file, or a phrase of the system. */
const REPORTED = new RegExp(
  `(?:^|\\n)[ \\t]*(?:\\[?(?:error|fatal|panic|fail|err)\\b|not ok |[✗✖✘×❌])|` +
    `[:)\\]] (?:fatal )?error(?:\\[\\w{1,20}\\]| \\w{1,20})?:|${PHRASES}`,
  'gi',
);

const MENTIONED = new RegExp(
  `error|exception|fatal|panic|crash|\\babort|denied|refused|cannot|can['’]t\\b|couldn['’]t|could not|unable to|` +
    `not found|no such|time(?:d )?out|\\bfail|\\bbroke|doesn['’]t work|does not work|[✗✖✘❌]|${PHRASES}`,
  'gi',
);

/** Codes of the system, of HTTP and of compilers. */
const CODES =
  /\bE(?:ACCES|ADDRINUSE|ADDRNOTAVAIL|AGAIN|BADF|BUSY|CANCELED|CONN[A-Z]+|DQUOT|EXIST|FAULT|FBIG|HOSTUNREACH|INTR|INVAL|IO|ISDIR|LOOP|MFILE|MLINK|NAMETOOLONG|NETUNREACH|NFILE|NODEV|NOENT|NOMEM|NOSPC|NOSYS|NOTCONN|NOTDIR|NOTEMPTY|NOTFOUND|NOTSUP|PERM|PIPE|PROTO|RANGE|RESOLVE|ROFS|SRCH|STALE|TIMEDOUT|TXTBSY|XDEV)\b|\bERR_[A-Z_]+\b|\bSIG(?:ABRT|BUS|FPE|ILL|KILL|SEGV|TERM)\b|\bHTTP\/?[\d.]* [45]\d\d\b|\bTS\d{4,5}:/g;

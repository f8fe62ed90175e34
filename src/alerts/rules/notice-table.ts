import type { Severity } from '../alert.ts';

/** A notification of an event, without a resolution. */
interface NoticeDefinition {
  readonly title: string;
  readonly advice: string;
  readonly defaults: { readonly severity: Severity; readonly everyMs?: number };
}

export const noticeTable = {
  started: {
    title: 'The gateway has started',
    advice:
      'Nothing has to be done. If nobody started it, it has crashed: the log before the start says why.',
    defaults: { severity: 'info' },
  },
  stopped: {
    title: 'The gateway stops',
    advice: 'Nothing has to be done if it was stopped on purpose.',
    defaults: { severity: 'info' },
  },
  heartbeat: {
    title: 'The gateway is alive',
    advice: 'Nothing has to be done. If this card no longer comes, the gateway or its network is down.',
    defaults: { severity: 'info', everyMs: 86_400_000 },
  },
} as const satisfies Readonly<Record<string, NoticeDefinition>>;

export type NoticeName = keyof typeof noticeTable;

/** The part of `alerts.rules` for notices. */
export type NoticeOptions = {
  readonly [Name in NoticeName]?:
    | false
    | {
        readonly [Key in keyof (typeof noticeTable)[Name]['defaults']]?: Key extends 'severity'
          ? Severity
          : number;
      };
};

export const noticeNames: readonly NoticeName[] = ['started', 'stopped', 'heartbeat'];

export function isNoticeName(name: string): name is NoticeName {
  return Object.hasOwn(noticeTable, name);
}

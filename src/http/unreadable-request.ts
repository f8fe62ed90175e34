/** Status codes for malformed requests, by kind. */
export const unreadableStatuses = {
  malformed: '400 Bad Request',
  'plain-http': '400 Bad Request',
  'client-certificate': '400 Bad Request',
  'invalid-uri': '400 Bad Request',
  'headers-too-large': '431 Request Header Fields Too Large',
  tunnel: '405 Method Not Allowed',
  'too-many-connections': '503 Service Unavailable',
  'too-slow': '408 Request Timeout',
} as const;

export type UnreadableRequest = keyof typeof unreadableStatuses;

/** The response to a malformed request as it is sent, with its status line and its body. */
export interface UnreadableAnswer {
  /** The id in it, if it has one. */
  readonly requestId: string | undefined;
  readonly text: string;
}

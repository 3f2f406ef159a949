/** Maximum number of messages in a group, and maximum sum of their sizes in bytes. */
export interface GroupLimit {
  readonly messages: number;
  readonly bytes: number;
}

/** Returns the number of messages at the start of a list that are within a limit. The first one always is. */
export function countFitting<Message>(
  messages: readonly Message[],
  bytesOf: (message: Message) => number,
  limit: GroupLimit,
): number {
  let bytes = 0;
  const end = messages.findIndex((message, index) => {
    bytes += bytesOf(message);
    return index > 0 && (bytes > limit.bytes || index >= limit.messages);
  });
  return end === -1 ? messages.length : end;
}

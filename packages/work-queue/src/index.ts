export { createQueuePublisher, type QueuePublisher } from './queue-publisher.ts';
export {
  ensureCheckStreams,
  JOB_STREAM,
  jobConsumer,
  jobSubject,
  REPLY_SUBJECT,
  RESULT_STREAM,
  RESULT_SUBJECT,
} from './streams.ts';

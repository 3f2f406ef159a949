export { createQueuePublisher, type QueuePublisher } from './queue-publisher.ts';
export { ensureCheckStreams, JOB_STREAM, jobConsumer, jobSubject, RESULT_STREAM, RESULT_SUBJECT } from './streams.ts';

export { ensureCheckStreams, JOB_STREAM, jobSubject, RESULT_STREAM, RESULT_SUBJECT } from './streams.ts';

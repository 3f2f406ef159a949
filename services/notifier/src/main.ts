import { runService } from '@tocsin/runtime';
import { loadConfig } from './config.ts';
import { createService } from './service.ts';

await runService('notifier', loadConfig, createService);

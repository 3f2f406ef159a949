import type { Command } from '../command.ts';
import { CHANNELS, DISRUPTIONS, MONITORS, PAGES, WEBHOOKS } from '../resource.ts';
import { applyCommands } from './apply.ts';
import { completionCommand } from './completion.ts';
import { importCommands } from './import.ts';
import { maintenanceCommands } from './maintenance.ts';
import { resourceCommands } from './resources.ts';
import { signInCommands } from './sign-in.ts';
import { stateCommands } from './states.ts';

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  ...signInCommands,
  ...[MONITORS, CHANNELS, PAGES, DISRUPTIONS, WEBHOOKS].flatMap(resourceCommands),
  ...stateCommands,
  ...maintenanceCommands,
  ...applyCommands,
  ...importCommands,
  completionCommand(() => commands),
];

import { loadConfig as loadChecker } from '@tocsin/checker/config';
import * as checker from '@tocsin/checker/service';
import { loadConfig as loadDisruption } from '@tocsin/disruption/config';
import * as disruption from '@tocsin/disruption/service';
import { loadConfig as loadGateway } from '@tocsin/gateway/config';
import * as gateway from '@tocsin/gateway/service';
import { loadConfig as loadIdentity } from '@tocsin/identity/config';
import * as identity from '@tocsin/identity/service';
import { loadConfig as loadMonitor } from '@tocsin/monitor/config';
import * as monitor from '@tocsin/monitor/service';
import { loadConfig as loadNotifier } from '@tocsin/notifier/config';
import * as notifier from '@tocsin/notifier/service';
import { configured, type Environment, type Program, runPrograms } from '@tocsin/runtime';
import { loadConfig as loadStatusPage } from '@tocsin/statuspage/config';
import * as statuspage from '@tocsin/statuspage/service';
import type { ProcessName } from './service-names.ts';

/** A program to run, with its environment. */
export interface ProgramPlan {
  readonly process: ProcessName;
  readonly env: Environment;
}

function programOf({ process, env }: ProgramPlan): Program {
  switch (process) {
    case 'checker':
      return configured(process, loadChecker, checker.createService, env);
    case 'disruption':
      return configured(process, loadDisruption, disruption.createService, env);
    case 'gateway':
      return configured(process, loadGateway, gateway.createService, env);
    case 'identity':
      return configured(process, loadIdentity, identity.createService, env);
    case 'monitor':
      return configured(process, loadMonitor, monitor.createService, env);
    case 'notifier':
      return configured(process, loadNotifier, notifier.createService, env);
    case 'statuspage':
      return configured(process, loadStatusPage, statuspage.createService, env);
  }
}

/**
 * Runs programs in this process. Together they need much less memory than in separate processes, and they call each
 * other without the network. The gateway starts last and stops first.
 */
export async function runTogether(plans: readonly ProgramPlan[]): Promise<void> {
  const isGateway = ({ process }: ProgramPlan) => process === 'gateway';
  await runPrograms('tocsin', [
    plans.filter((plan) => !isGateway(plan)).map(programOf),
    plans.filter(isGateway).map(programOf),
  ]);
}

import { SignalKind } from '@tocsin/proto/monitor/v1/heartbeat';
import { TransitionRule } from '@tocsin/proto/monitor/v1/history';
import {
  CheckOutcome as CheckOutcomeEnum,
  CheckType as CheckTypeEnum,
  MonitorState as MonitorStateEnum,
} from '@tocsin/proto/monitor/v1/monitor';
import { enumTable, type NamesOf } from './enum-table.ts';

export const checkTypes = enumTable(CheckTypeEnum, 'http');
export type CheckType = NamesOf<typeof CheckTypeEnum>;

export const monitorStates = enumTable(MonitorStateEnum, 'pending');
export type MonitorState = NamesOf<typeof MonitorStateEnum>;

/** Outcomes of a check in one region. */
export const checkOutcomes = enumTable(CheckOutcomeEnum, 'unknown');
export type CheckOutcome = NamesOf<typeof CheckOutcomeEnum>;

/** Rules that can change the state of a monitor. */
export const transitionRules = enumTable(TransitionRule, 'enabled');
export type TransitionRuleName = NamesOf<typeof TransitionRule>;

/** Kinds of signals that a job sends to a heartbeat monitor. */
export const heartbeatSignals = enumTable(SignalKind, 'ping');
export type HeartbeatSignal = NamesOf<typeof SignalKind>;

/** Request headers that state the length of the body, in lower case. The HTTP client of the checker sets them. */
export const LENGTH_HEADERS: readonly string[] = ['content-length', 'transfer-encoding'];

/** Record types that a dns monitor can query. */
export const DNS_RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'SOA', 'SRV', 'CAA', 'PTR'] as const;
export type DnsRecordType = (typeof DNS_RECORD_TYPES)[number];

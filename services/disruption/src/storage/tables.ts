/**
 * Tables and columns of this service after all migrations. Written by test/tables.test.ts: run it with --update after
 * adding a migration.
 */
export interface Tables {
  affected_component: {
    disruption_id: string;
    component_id: string;
    organization_id: string;
    name: string;
    status: string;
    status_page_id: string;
    position: number;
  };
  disruption: {
    id: string;
    organization_id: string;
    title: string;
    type: string;
    status: string;
    impact: string;
    auto_created: boolean;
    monitor_id: string | null;
    started_at: Date;
    resolved_at: Date | null;
    created_at: Date;
    updated_at: Date;
    ends_at: Date | null;
    due_at: Date | null;
    status_page_ids: string[];
    acknowledged_at: Date | null;
    acknowledged_by: string | null;
    automatic_title: boolean;
    hidden_page_ids: string[];
  };
  disruption_update: {
    id: string;
    disruption_id: string;
    organization_id: string;
    status: string;
    body: string;
    posted_at: Date;
    posted_by: string;
    explanation: string | null;
    automatic: boolean;
    edited_at: Date | null;
    silent: boolean;
    automatic_text: string | null;
  };
  held_down: {
    monitor_id: string;
    organization_id: string;
    monitor_name: string;
    went_down_at: Date;
    explanation: string;
    component_ids: string[];
    outage_id: string;
  };
}

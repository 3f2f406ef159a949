{{/* All programs with their ports, the components that call them, and what they reach. */}}
{{- define "tocsin.components" -}}
gateway:
  port: 8080
  adminPort: 7200
  hasDatabase: true
  hasVault: true
  callers: []
identity:
  port: 7101
  adminPort: 7201
  hasDatabase: true
  hasVault: true
  reachesTargets: true
  callers: [gateway, monitor, checker, disruption, statuspage, notifier]
  isCalledByRegions: true
monitor:
  port: 7102
  adminPort: 7202
  hasDatabase: true
  hasVault: true
  callers: [gateway, identity, checker, statuspage, notifier]
  isCalledByRegions: true
checker:
  port: 7103
  adminPort: 7203
  reachesTargets: true
  callers: []
disruption:
  port: 7104
  adminPort: 7204
  hasDatabase: true
  callers: [gateway, identity, notifier]
statuspage:
  port: 7105
  adminPort: 7205
  hasDatabase: true
  reachesTargets: true
  callers: [gateway, identity, monitor, disruption, notifier]
notifier:
  port: 7106
  adminPort: 7206
  hasDatabase: true
  hasVault: true
  reachesTargets: true
  callers: [gateway, identity, monitor]
{{- end -}}

{{/* Database URL: one for all services, or one for each. Input: dict "secret" name "service". */}}
{{- define "tocsin.databaseVariables" -}}
{{ include "tocsin.secretVariable" (list "TOCSIN_DATABASE_URL" .secret "database-url" true) }}
{{ include "tocsin.secretVariable" (list (printf "TOCSIN_%s_DATABASE_URL" (upper .service)) .secret (printf "database-url-%s" .service) true) }}
{{- end -}}

{{/* Database URL of the role that migrates and owns the tables. Input: the name of the secret. */}}
{{- define "tocsin.ownerDatabaseVariable" -}}
{{ include "tocsin.secretVariable" (list "TOCSIN_OWNER_DATABASE_URL" . "owner-database-url" true) }}
{{- end -}}

{{/* Environment of a component. Input: dict "root" $ "name" "component" "components". */}}
{{- define "tocsin.variables" -}}
{{- $secret := .root.Values.existingSecret -}}
{{- $fullname := include "tocsin.fullname" .root -}}
- name: TOCSIN_BASE_URL
  value: {{ .root.Values.baseUrl | quote }}
- name: {{ eq .name "gateway" | ternary "TOCSIN_PORT" "TOCSIN_RPC_PORT" }}
  value: {{ .component.port | quote }}
- name: TOCSIN_ADMIN_PORT
  value: {{ .component.adminPort | quote }}
{{- range $name, $component := .components }}
{{- if not (has $name (list "gateway" "checker")) }}
- name: TOCSIN_{{ upper $name }}_URL
  value: {{ empty $.root.Values.tls.existingSecret | ternary "http" "https" }}://{{ $fullname }}-{{ $name }}:{{ $component.port }}
{{- end }}
{{- end }}
{{ include "tocsin.secretVariable" (list "TOCSIN_NATS_URL" $secret (printf "nats-url-%s" .name) false) }}
{{ include "tocsin.secretVariable" (list "TOCSIN_SERVICE_SECRET" $secret (printf "service-secret-%s" .name) false) }}
{{- if .component.hasDatabase }}
{{ include "tocsin.databaseVariables" (dict "secret" $secret "service" .name) }}
{{- if not .root.Values.migrations.enabled }}
{{ include "tocsin.ownerDatabaseVariable" $secret }}
{{- end }}
- name: TOCSIN_MIGRATIONS
  value: {{ .root.Values.migrations.enabled | ternary "wait" "run" }}
{{- end }}
{{- if .component.hasVault }}
{{ include "tocsin.secretVariable" (list "TOCSIN_VAULT_KEYS" $secret "vault-keys" false) }}
{{- end }}
{{- if .component.reachesTargets }}
{{ include "tocsin.closedPortsVariable" . }}
{{- end }}
{{- if eq .name "identity" }}
{{ include "tocsin.secretVariable" (list "TOCSIN_SERVICE_SECRETS" $secret "service-secrets" false) }}
{{- end }}
{{- if eq .name "gateway" }}
- name: TOCSIN_LINGER_S
  value: "5"
{{- end }}
{{- if eq .name "monitor" }}
- name: TOCSIN_REGIONS
  value: {{ join "," .root.Values.regions | quote }}
{{- end }}
{{- if eq .name "checker" }}
- name: TOCSIN_REGION
  value: {{ .root.Values.checkerRegion | quote }}
{{- end }}
{{- if eq .name "notifier" }}
{{ include "tocsin.secretVariable" (list "TOCSIN_SMTP_URL" $secret "smtp-url" true) }}
{{- end }}
{{- end -}}

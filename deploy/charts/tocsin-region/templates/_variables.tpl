{{- define "tocsin-region.variables" -}}
- name: TOCSIN_REGION
  value: {{ .Values.region | quote }}
- name: TOCSIN_BASE_URL
  value: {{ .Values.baseUrl | quote }}
- name: TOCSIN_IDENTITY_URL
  value: {{ .Values.identityUrl | quote }}
- name: TOCSIN_MONITOR_URL
  value: {{ .Values.monitorUrl | quote }}
{{ include "tocsin.closedPortsVariable" . }}
- name: TOCSIN_RPC_PORT
  value: "7103"
- name: TOCSIN_ADMIN_PORT
  value: "7203"
{{ include "tocsin.secretVariable" (list "TOCSIN_NATS_URL" .Values.existingSecret "nats-url-checker" false) }}
{{ include "tocsin.secretVariable" (list "TOCSIN_SERVICE_SECRET" .Values.existingSecret "service-secret-checker" false) }}
{{- end -}}

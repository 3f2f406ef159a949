{{/* Egress rule for the cluster's DNS. */}}
{{- define "tocsin.dnsEgress" -}}
- to:
    {{- toYaml .dnsTo | nindent 4 }}
  ports:
    {{- range .dnsPorts }}
    - port: {{ . }}
      protocol: UDP
    - port: {{ . }}
      protocol: TCP
    {{- end }}
{{- end -}}

{{/* Egress rules for targets that tenants choose: everything except private ranges, and the allowed ranges. */}}
{{- define "tocsin.internetEgress" -}}
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except: [0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16]
    - ipBlock:
        cidr: "::/0"
        except: ["::1/128", "fc00::/7", "fe80::/10"]
{{- with .allowedTargets }}
- to:
    {{- range . }}
    - ipBlock:
        cidr: {{ . | quote }}
    {{- end }}
{{- end }}
{{- end -}}

{{/* Ingress rule for the admin port: metrics and probes. */}}
{{- define "tocsin.adminIngress" -}}
{{- with .metricsFrom }}
- from:
    {{- toYaml . | nindent 4 }}
  ports:
    - port: admin
{{- end }}
{{- end -}}

{{/* Egress rules of the values, for all components and for one. Input: dict "root" $ "name" component. */}}
{{- define "tocsin.extraEgress" -}}
{{- $own := (index .root.Values .name | default dict).extraEgress | default list -}}
{{- with concat .root.Values.global.extraEgress $own }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Ports of the programs, which checks and alerts must not reach even if the operator allows their addresses. */}}
{{- define "tocsin.closedPortsVariable" -}}
- name: TOCSIN_CLOSED_PORTS
  value: "7101,7102,7103,7104,7105,7106,7200,7201,7202,7203,7204,7205,7206"
{{- end -}}

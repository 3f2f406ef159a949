{{/* Full name of a release: "<release>-<chart>", or the release's name alone if it contains the chart's name. */}}
{{- define "tocsin.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that select the pods of a component. Input: dict "root" $ "name" component. They never change. */}}
{{- define "tocsin.selectorLabels" -}}
app.kubernetes.io/name: tocsin
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{/*
Labels of every object. Labels of the values override those of the chart, but not those that select pods.
Input: dict "root" $, "name" component, "more" map of further labels, optional.
*/}}
{{- define "tocsin.labels" -}}
{{- $labels := dict "app.kubernetes.io/part-of" "tocsin" "app.kubernetes.io/managed-by" .root.Release.Service -}}
{{- $_ := set $labels "app.kubernetes.io/version" .root.Chart.AppVersion -}}
{{- $_ = set $labels "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version) -}}
{{- range $map := list .root.Values.labels .more (include "tocsin.selectorLabels" . | fromYaml) -}}
{{- range $key, $value := $map -}}{{- $_ = set $labels $key $value -}}{{- end -}}
{{- end -}}
{{- toYaml $labels -}}
{{- end -}}

{{/*
Merges two maps; values from the second one win, even empty ones. The source of a variable (valueFrom) is replaced,
because it may have one kind only. Input: list of both maps. Returns YAML.
*/}}
{{- define "tocsin.merge" -}}
{{- $merged := index . 0 -}}
{{- range $key, $value := index . 1 -}}
{{- if and (kindIs "map" $value) (kindIs "map" (index $merged $key)) (not (hasKey $value "valueFrom")) -}}
{{- $_ := set $merged $key (include "tocsin.merge" (list (index $merged $key) $value) | fromYaml) -}}
{{- else -}}
{{- $_ := set $merged $key $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $merged -}}
{{- end -}}

{{/* Settings of a component: its own override those in "global". Maps are merged, lists are replaced. Returns YAML. */}}
{{- define "tocsin.settings" -}}
{{- include "tocsin.merge" (list (deepCopy .root.Values.global) (index .root.Values .name | default dict)) -}}
{{- end -}}

{{/* Image reference. Input: dict "image" values "appVersion" default tag. */}}
{{- define "tocsin.image" -}}
{{- $name := .image.repository -}}
{{- with .image.registry -}}{{- $name = printf "%s/%s" . $name -}}{{- end -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $name .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (.image.tag | default .appVersion) -}}
{{- end -}}
{{- end -}}

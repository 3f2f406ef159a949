{{/*
Variable from a key of the secret. Input: list of variable, secret, key, optional.
*/}}
{{- define "tocsin.secretVariable" -}}
{{- $variable := index . 0 -}}{{- $secret := index . 1 -}}{{- $key := index . 2 -}}{{- $optional := index . 3 }}
- name: {{ $variable }}
  valueFrom:
    secretKeyRef:
      name: {{ $secret }}
      key: {{ $key }}
      {{- if $optional }}
      optional: true
      {{- end }}
{{- end -}}

{{/*
Environment of a container, as a YAML list without duplicates, which a server-side apply refuses. Variables of the
settings override those of the chart, and so does the name of a file with the value (NAME_FILE).
Input: dict "variables" YAML list of the chart's variables, "env" map of the settings.
*/}}
{{- define "tocsin.env" -}}
{{- $env := .env -}}
{{- $list := list -}}
{{- range .variables | fromYamlArray -}}
{{- if not (or (hasKey $env .name) (hasKey $env (printf "%s_FILE" .name))) -}}{{- $list = append $list . -}}{{- end -}}
{{- end -}}
{{- range $name, $value := $env -}}
{{- $content := kindIs "map" $value | ternary $value (dict "value" (toString $value)) -}}
{{- $list = append $list (merge (dict "name" $name) $content) -}}
{{- end -}}
{{- toYaml $list -}}
{{- end -}}

{{/*
Pod template of a component, with the settings that all pods share.
Input: dict "root" $, "name" component, "settings" merged values, "args" list, "variables" YAML list of the component's
own environment, "ports" YAML list, "probes" YAML, "restartPolicy" optional, "tlsSecret" name of a Secret with
certificates, optional.
*/}}
{{- define "tocsin.podTemplate" -}}
{{- $set := .settings -}}
{{- $shared := .root.Values.global.image -}}
{{- $own := (index .root.Values .name | default dict).image | default dict -}}
{{- if and $shared.digest (ne $set.image.repository $shared.repository) (not (hasKey $own "digest")) -}}
{{- fail (printf "global.image.digest is of the image %s: %s.image needs the digest of %s" $shared.repository .name $set.image.repository) -}}
{{- end -}}
{{- $variables := .variables -}}
{{- if .tlsSecret -}}
{{- $variables = printf "%s\n- name: TOCSIN_TLS_DIR\n  value: /tls" $variables -}}
{{- end -}}
{{- if not .restartPolicy -}}
{{- $variables = printf "%s\n- name: TOCSIN_DRAIN_S\n  value: %q" $variables (toString $set.drainSeconds) -}}
{{- end -}}
{{- $variables = printf "%s\n- name: TOCSIN_LOG_LEVEL\n  value: %q" $variables $set.logLevel -}}
metadata:
  labels:
    {{- include "tocsin.labels" (dict "root" .root "name" .name "more" $set.podLabels) | nindent 4 }}
  {{- with $set.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "tocsin.fullname" .root }}-{{ .name }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with .restartPolicy }}
  restartPolicy: {{ . }}
  {{- end }}
  {{- with $set.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $set.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with $set.runtimeClassName }}
  runtimeClassName: {{ . }}
  {{- end }}
  securityContext:
    {{- toYaml $set.podSecurityContext | nindent 4 }}
  terminationGracePeriodSeconds: {{ add $set.preStopSeconds $set.drainSeconds 5 }}
  {{- with $set.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $set.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $set.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $set.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- range . }}
    - {{ toYaml . | nindent 6 | trim }}
      {{- if not (hasKey . "labelSelector") }}
      labelSelector:
        matchLabels:
          {{- include "tocsin.selectorLabels" (dict "root" $.root "name" $.name) | nindent 10 }}
      {{- end }}
    {{- end }}
  {{- end }}
  {{- $before := $set.initContainers }}
  {{- $beside := $set.sidecars }}
  {{- if .restartPolicy }}
  {{- /* A pod that is to end would wait for its sidecars for ever, unless they are init containers that go on. */}}
  {{- range $beside }}
  {{- $before = append $before (merge (dict "restartPolicy" "Always") .) }}
  {{- end }}
  {{- $beside = list }}
  {{- end }}
  {{- with $before }}
  initContainers:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ .name }}
      image: {{ include "tocsin.image" (dict "image" $set.image "appVersion" .root.Chart.AppVersion) }}
      imagePullPolicy: {{ $set.image.pullPolicy }}
      args:
        {{- toYaml .args | nindent 8 }}
      env:
        {{- include "tocsin.env" (dict "variables" $variables "env" $set.env) | nindent 8 }}
      {{- with $set.envFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .ports }}
      ports:
        {{- . | trim | nindent 8 }}
      {{- end }}
      {{- with .probes }}
      {{- . | trim | nindent 6 }}
      {{- end }}
      resources:
        {{- toYaml $set.resources | nindent 8 }}
      securityContext:
        {{- toYaml $set.securityContext | nindent 8 }}
      volumeMounts:
        - name: tmp
          mountPath: /tmp
        {{- if .tlsSecret }}
        - name: tls
          mountPath: /tls
          readOnly: true
        {{- end }}
        {{- with $set.volumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    {{- with $beside }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    - name: tmp
      emptyDir:
        sizeLimit: {{ $set.tmpSize }}
    {{- with .tlsSecret }}
    - name: tls
      secret:
        secretName: {{ . }}
    {{- end }}
    {{- with $set.volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/*
Probes of a component. Liveness never depends on another server, so that a PostgreSQL outage restarts nothing.
Input: dict "kind" "grpc" or "http", "port" RPC port.
*/}}
{{- define "tocsin.probes" -}}
startupProbe:
  httpGet:
    path: /livez
    port: admin
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet:
    path: /livez
    port: admin
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  {{- if eq .kind "grpc" }}
  grpc:
    port: {{ .port }}
  {{- else }}
  httpGet:
    path: /serving
    port: admin
  {{- end }}
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end -}}

{{/*
Deployment of a component. Input: as tocsin.podTemplate.
*/}}
{{- define "tocsin.deployment" -}}
{{- $set := .settings -}}
{{- if and $set.autoscaling.enabled $set.keda.enabled -}}
{{- fail (printf "%s has autoscaling.enabled and keda.enabled: only one of them can set its replicas" .name) -}}
{{- end -}}
{{- if and $set.autoscaling.enabled (gt (int $set.autoscaling.minReplicas) (int $set.autoscaling.maxReplicas)) -}}
{{- fail (printf "%s has more autoscaling.minReplicas than maxReplicas" .name) -}}
{{- end -}}
{{- if and $set.keda.enabled (not $set.keda.triggers) -}}
{{- fail (printf "%s has keda.enabled without keda.triggers" .name) -}}
{{- end -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "tocsin.fullname" .root }}-{{ .name }}
  labels:
    {{- include "tocsin.labels" . | nindent 4 }}
  {{- with $set.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if .root.Values.stopped }}
  replicas: 0
  {{- else if not (or $set.autoscaling.enabled $set.keda.enabled) }}
  replicas: {{ $set.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  selector:
    matchLabels:
      {{- include "tocsin.selectorLabels" . | nindent 6 }}
  template:
    {{- $pod := include "tocsin.podTemplate" . | fromYaml -}}
    {{- /* Kubernetes before 1.33 refuses a sleep of 0 seconds. */}}
    {{- if $set.preStopSeconds -}}
    {{- $sleep := dict "preStop" (dict "sleep" (dict "seconds" $set.preStopSeconds)) -}}
    {{- $_ := set (first $pod.spec.containers) "lifecycle" $sleep -}}
    {{- end -}}
    {{- toYaml $pod | nindent 4 }}
{{- end -}}

{{/* Objects beside a Deployment: ServiceAccount, Service, PodDisruptionBudget, autoscaling. Input: the same. */}}
{{- define "tocsin.besides" -}}
{{- $set := .settings -}}
{{- $adminPorts := printf "- name: admin\n  port: %v\n  targetPort: admin" .adminPort -}}
{{- $isPublished := and (not .isHeadless) (ne $set.service.type "ClusterIP") -}}
{{- /* The type in "global" is only for the gateway. */}}
{{- $own := (index .root.Values .name | default dict).service | default dict -}}
{{- $ownType := .isHeadless | ternary ($own.type | default "ClusterIP") "ClusterIP" -}}
{{- $name := printf "%s-%s" (include "tocsin.fullname" .root) .name -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ $name }}
  labels:
    {{- include "tocsin.labels" . | nindent 4 }}
  {{- with $set.serviceAccountAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
---
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}
  labels:
    {{- include "tocsin.labels" . | nindent 4 }}
  {{- with $set.service.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if .isHeadless }}
  clusterIP: None
  {{- else }}
  type: {{ $set.service.type }}
  {{- end }}
  selector:
    {{- include "tocsin.selectorLabels" . | nindent 4 }}
  ports:
    {{- with .servicePorts }}
    {{- . | trim | nindent 4 }}
    {{- end }}
    {{- if not $isPublished }}
    {{- $adminPorts | nindent 4 }}
    {{- end }}
{{- if $isPublished }}
---
# A Service that is reachable from outside of the cluster has no admin port.
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}-admin
  labels:
    {{- include "tocsin.labels" . | nindent 4 }}
spec:
  clusterIP: None
  selector:
    {{- include "tocsin.selectorLabels" . | nindent 4 }}
  ports:
    {{- $adminPorts | nindent 4 }}
{{- end }}
{{- if ne $ownType "ClusterIP" }}
{{- if not .isCalledByRegions }}{{ fail (printf "%s.service.type is %s, but nothing outside of the cluster calls this program" .name $ownType) }}{{ end }}
---
# For checkers in other clusters. The headless Service is for the programs of this cluster.
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}-regions
  labels:
    {{- include "tocsin.labels" . | nindent 4 }}
  {{- with $set.service.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  type: {{ $ownType }}
  selector:
    {{- include "tocsin.selectorLabels" . | nindent 4 }}
  ports:
    {{- .servicePorts | trim | nindent 4 }}
{{- end }}
{{- $smallest := $set.replicas -}}
{{- if $set.autoscaling.enabled -}}{{- $smallest = $set.autoscaling.minReplicas -}}{{- end -}}
{{- if $set.keda.enabled -}}{{- $smallest = $set.keda.minReplicas -}}{{- end -}}
{{- $isRunning := not .root.Values.stopped -}}
{{- if and $isRunning (gt (int $smallest) 1) }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  labels:
    {{- include "tocsin.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "tocsin.selectorLabels" . | nindent 6 }}
{{- end }}
{{- if and $isRunning $set.autoscaling.enabled }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ $name }}
  labels:
    {{- include "tocsin.labels" . | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ $name }}
  minReplicas: {{ $set.autoscaling.minReplicas }}
  maxReplicas: {{ $set.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ $set.autoscaling.targetCPUUtilizationPercentage }}
{{- end }}
{{- if and $isRunning $set.keda.enabled }}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ $name }}
  labels:
    {{- include "tocsin.labels" . | nindent 4 }}
spec:
  scaleTargetRef:
    name: {{ $name }}
  minReplicaCount: {{ $set.keda.minReplicas }}
  maxReplicaCount: {{ $set.keda.maxReplicas }}
  triggers:
    {{- toYaml $set.keda.triggers | nindent 4 }}
{{- end }}
{{- end -}}

{{/* Lets Prometheus read the metrics of all programs of the release. Input: $. */}}
{{- define "tocsin.serviceMonitor" -}}
{{- if .Values.serviceMonitor.enabled -}}
{{- if and .Values.networkPolicy.enabled (not .Values.networkPolicy.metricsFrom) -}}
{{- fail "serviceMonitor.enabled needs networkPolicy.metricsFrom: peers that may read metrics, such as [{namespaceSelector: {}}] for all pods of the cluster. Without peers, the network policies refuse Prometheus" -}}
{{- end -}}
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  name: {{ include "tocsin.fullname" . }}
  labels:
    {{- include "tocsin.labels" (dict "root" . "name" "monitoring" "more" .Values.serviceMonitor.labels) | nindent 4 }}
spec:
  selector:
    matchLabels:
      app.kubernetes.io/name: tocsin
      app.kubernetes.io/instance: {{ .Release.Name | quote }}
  targetLabels: [app.kubernetes.io/component]
  endpoints:
    - port: admin
      path: /metrics
      interval: {{ .Values.serviceMonitor.interval }}
{{- end -}}
{{- end -}}

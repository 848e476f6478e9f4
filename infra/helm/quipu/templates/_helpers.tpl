{{- define "quipu.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "quipu.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "quipu.labels" -}}
{{ include "quipu.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* A setting as text: YAML reads large integers as floating-point numbers. */}}
{{- define "quipu.setting" -}}
{{- if kindIs "float64" . }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- end -}}

{{/*
The pod of a component: (dict "root" $ "component" "api" "roles" "" "part" .Values.api). Readiness takes a pod out of the
service while it rebuilds read models or cannot reach a store; only /health decides about restarts.
*/}}
{{- define "quipu.pod" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
metadata:
  labels:
    {{- include "quipu.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  {{- with $values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  {{- with $values.serviceAccountName }}
  serviceAccountName: {{ . }}
  {{- end }}
  {{- with $values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  terminationGracePeriodSeconds: {{ add $values.leaveSeconds 15 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: quipu
      image: {{ printf "%s:%s" $values.image.repository ($values.image.tag | default $root.Chart.AppVersion) | quote }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      env:
        - { name: HOST, value: 0.0.0.0 }
        - { name: PORT, value: '3000' }
        # Below the root of the volume, which belongs to root: a folder of its own is made private by the process.
        - { name: DATA_DIR, value: /data/quipu }
        {{- with .roles }}
        - { name: ROLES, value: {{ . | quote }} }
        {{- end }}
        {{- range $name, $value := $values.settings }}
        - { name: {{ $name }}, value: {{ include "quipu.setting" $value | quote }} }
        {{- end }}
      {{- with $values.existingSecret }}
      envFrom:
        - secretRef:
            name: {{ . }}
      {{- end }}
      ports:
        - { name: http, containerPort: 3000 }
        {{- if eq .component "api" }}
        {{- range $values.service.extraPorts }}
        - { name: {{ .name }}, containerPort: {{ .port }} }
        {{- end }}
        {{- end }}
      livenessProbe:
        httpGet: { path: /health, port: http }
        periodSeconds: 10
        timeoutSeconds: 3
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      lifecycle:
        preStop:
          exec:
            command: [sleep, {{ $values.leaveSeconds | quote }}]
      resources:
        {{- toYaml .part.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if eq $values.profile "distributed" }}
    # What was refused, until the pod is gone; everything else is on the servers.
    - name: data
      emptyDir: {}
    {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if eq $values.profile "distributed" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "quipu.selector" $root | nindent 10 }}
          app.kubernetes.io/component: {{ .component }}
  {{- end }}
{{- end -}}

{{- define "signalpost.name" -}}
{{- if contains "signalpost" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-signalpost{{ end -}}
{{- end }}

{{/* What selects pods; never changes, since a selector cannot. Given: (list $ "api") */}}
{{- define "signalpost.selector" -}}
app.kubernetes.io/name: signalpost
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "signalpost.labels" -}}
{{ include "signalpost.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ (index . 0).Chart.Name }}-{{ (index . 0).Chart.Version }}
{{- end }}

{{- define "signalpost.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{/* What all pods have in common. */}}
{{- define "signalpost.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Where the pods of a part run: apart from each other if they can. Given: (list $ "api") */}}
{{- define "signalpost.placing" -}}
{{- $part := . -}}
{{- $values := index (index . 0).Values (index . 1) -}}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "signalpost.selector" $part | nindent 8 }}
  {{- end }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* What all containers have in common. */}}
{{- define "signalpost.container" -}}
image: {{ include "signalpost.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
envFrom:
  - secretRef: { name: {{ .Values.secretName }} }
env:
  - { name: SIGNALPOST_BASE_URL, value: {{ required "Set baseUrl." .Values.baseUrl | quote }} }
  - { name: SIGNALPOST_STORAGE_URL, value: {{ required "Set storageUrl." .Values.storageUrl | quote }} }
  - { name: SIGNALPOST_TRUSTED_PROXIES, value: {{ .Values.trustedProxies | quote }} }
  {{- range $name, $value := .Values.settings }}
  - { name: {{ $name }}, value: {{ $value | toString | quote }} }
  {{- end }}
{{- end }}

{{- define "tidegate.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "tidegate.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tidegate.labels" -}}
{{ include "tidegate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "tidegate.adminSecret" -}}
{{- .Values.admin.existingSecret | default (printf "%s-admin" (include "tidegate.name" .)) }}
{{- end }}

{{- define "tidegate.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "tidegate.name" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- /* What the pod needs of the configuration, with that of the values over it. */ -}}
{{- define "tidegate.config" -}}
{{- $name := include "tidegate.name" . }}
{{- $admin := dict "host" "0.0.0.0" "port" 9090 "token" "${TIDEGATE_ADMIN_TOKEN}" "names" (list (printf "%s-admin" $name) (printf "%s-admin.%s.svc" $name .Release.Namespace)) }}
{{- $needed := dict "listen" (dict "host" "0.0.0.0" "port" 8080) "admin" $admin "state" (dict "directory" "/var/lib/tidegate/state") "shutdown" (dict "delay" "5s") }}
{{- toYaml (mergeOverwrite $needed (deepCopy .Values.config)) }}
{{- end }}

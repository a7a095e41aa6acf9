{{- define "turnpike.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* Short enough that "-admin" and a hash fit behind it. */}}
{{- define "turnpike.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "turnpike.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "turnpike.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "turnpike.selector" -}}
app.kubernetes.io/name: {{ include "turnpike.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "turnpike.labels" -}}
{{ include "turnpike.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "turnpike.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "turnpike.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "turnpike.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository (default .Chart.AppVersion $image.tag) -}}
{{- end -}}
{{- end -}}

{{/* The Secret whose keys become variables, if there is one. */}}
{{- define "turnpike.secret" -}}
{{- if .Values.externalSecret.enabled -}}
{{- include "turnpike.fullname" . -}}
{{- else -}}
{{- .Values.secret.existingSecret -}}
{{- end -}}
{{- end -}}

{{/* The names of the admin service in the cluster, and those of the values. */}}
{{- define "turnpike.adminHosts" -}}
{{- $service := printf "%s-admin" (include "turnpike.fullname" .) -}}
{{- $inNamespace := printf "%s.%s" $service .Release.Namespace -}}
{{- $own := list $service $inNamespace (printf "%s.svc" $inNamespace) (printf "%s.svc.cluster.local" $inNamespace) -}}
{{- concat $own .Values.adminService.hosts | join "," -}}
{{- end -}}

{{/* The variables of every container that reads the config. */}}
{{- define "turnpike.environment" -}}
env:
  - name: DRAIN_ANNOUNCE_MS
    value: {{ .Values.drain.announceMs | int | quote }}
  - name: DRAIN_TIMEOUT_MS
    value: {{ .Values.drain.timeoutMs | int | quote }}
  - name: ADMIN_HOSTS
    value: {{ include "turnpike.adminHosts" . | quote }}
  {{- with .Values.env }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- if or (include "turnpike.secret" .) .Values.envFrom }}
envFrom:
  {{- with include "turnpike.secret" . }}
  - secretRef:
      name: {{ . }}
  {{- end }}
  {{- with .Values.envFrom }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "turnpike.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "turnpike.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Seconds from SIGTERM to SIGKILL. */}}
{{- define "turnpike.gracePeriod" -}}
{{- $drain := .Values.drain -}}
{{- add (divf (addf $drain.announceMs $drain.timeoutMs) 1000 | ceil | int) $drain.stopSeconds -}}
{{- end -}}

{{/* Values that cannot work end the install. The message says what to change. */}}
{{- define "turnpike.check" -}}
{{- $hasSecret := or .Values.externalSecret.enabled .Values.secret.existingSecret -}}
{{- if and .Values.externalSecret.enabled .Values.secret.existingSecret -}}
{{- fail "expected either secret.existingSecret or externalSecret.enabled, and got both" -}}
{{- end -}}
{{- if and .Values.externalSecret.enabled (not .Values.externalSecret.storeRef.name) -}}
{{- fail "externalSecret.storeRef.name is missing: the store that has the secrets" -}}
{{- end -}}
{{- if and .Values.externalSecret.enabled (not .Values.externalSecret.dataFrom) (not .Values.externalSecret.data) -}}
{{- fail "externalSecret needs dataFrom or data, which say what to take from the store" -}}
{{- end -}}
{{- if not (or $hasSecret .Values.persistence.enabled .Values.env .Values.envFrom) -}}
{{- fail "the gateway has no database: set secret.existingSecret to a Secret with DATABASE_URL and GATEWAY_MASTER_KEY, or persistence.enabled for a single pod with SQLite" -}}
{{- end -}}
{{- if and .Values.persistence.enabled .Values.migration.enabled -}}
{{- fail "the volume of persistence is in use while a migration runs: leave migration.enabled out, a start upgrades SQLite" -}}
{{- end -}}
{{- if and .Values.persistence.enabled .Values.autoscaling.enabled -}}
{{- fail "persistence is for a single pod, so it excludes autoscaling: use Postgres (secret.existingSecret)" -}}
{{- end -}}
{{- if and .Values.persistence.enabled (gt (int .Values.replicaCount) 1) -}}
{{- fail "persistence is for a single pod: set replicaCount to 1, or use Postgres (secret.existingSecret)" -}}
{{- end -}}
{{- end -}}

{{- define "kontor.labels" -}}
app.kubernetes.io/name: kontor
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* The parts that all pods share. */ -}}
{{- define "kontor.security" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
volumes:
  - name: data
    emptyDir: {}
  - name: tmp
    emptyDir: {}
{{- end }}

{{- define "kontor.container" -}}
image: "{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}"
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
envFrom:
  - secretRef:
      name: {{ .Values.existingSecret }}
volumeMounts:
  - name: data
    mountPath: /data
  - name: tmp
    mountPath: /tmp
{{- /* Last, because some pods add lines to it. */ -}}
{{- include "kontor.settings" . }}
{{- end }}

{{- /* The settings stand in each pod, so that `helm rollback` brings back those of the release that it brings back. */ -}}
{{- define "kontor.settings" }}
env:
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ ternary $value (toJson $value) (kindIs "string" $value) | quote }}
  {{- end }}
  {{- if not (hasKey .Values.settings "STORAGE_URL") }}
  # A pod without it cannot start: its files would be lost with it.
  - name: STORAGE_URL
    valueFrom: { secretKeyRef: { name: {{ .Values.existingSecret }}, key: STORAGE_URL } }
  {{- end }}
{{- end }}

import { Button, Menu } from '@mantine/core'
import type { Call } from '../../../server/calls/schema.ts'
import { useApi } from '../kit/api.ts'
import { ChevronIcon } from '../kit/icons.tsx'
import { ParleyError, type Query } from '../kit/request.ts'
import { useCanEdit } from '../kit/session.ts'
import { showError, showErrorMessage } from '../kit/toast.ts'
import { recordingPath } from './recording.ts'

const formats = [
  { format: 'txt', label: 'Transcript as text' },
  { format: 'srt', label: 'Transcript as SRT subtitles' },
  { format: 'vtt', label: 'Transcript as WebVTT subtitles' },
  { format: 'json', label: 'Transcript as JSON' },
]

/** The transcript in several formats, and the recording. */
export function DownloadMenu({ call }: { call: Call }) {
  const api = useApi()
  const can_listen = useCanEdit()
  const is_said = call.turn_count > 0 && call.redacted_at === null
  const has_recording = call.recording.status === 'ready' && can_listen
  const download = (path: string, query: Query) => api.download(path, query).catch(explain)
  if (!is_said && !has_recording) return null
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" rightSection={<ChevronIcon size={15} />}>
          Download
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {is_said &&
          formats.map(({ format, label }) => (
            <Menu.Item key={format} onClick={() => void download(`/calls/${call.id}/transcript`, { format })}>
              {label}
            </Menu.Item>
          ))}
        {has_recording && (
          <Menu.Item onClick={() => void download(recordingPath(call), {})}>Recording as WAV</Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Shows why a file can't be had. The answer to a HEAD has no text, so the words are written here. */
const explain = (error: unknown): void =>
  error instanceof ParleyError && error.status === 409
    ? showErrorMessage('The recording is being prepared. Try again in a moment.')
    : showError(error)

import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { SpeechStatus } from '../../../server/audio/speech-schema.ts'
import { useWorkspaceId } from '../kit/api.ts'
import { CopyField } from '../kit/CopyField.tsx'
import { Disclosure } from '../kit/Disclosure.tsx'
import { errorMessage } from '../kit/error-messages.ts'
import { formatBytes } from '../kit/format.ts'
import { Card, Stack } from '../kit/Page.tsx'
import { ProgressBar } from '../kit/ProgressBar.tsx'
import { ErrorAlert, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import styles from './speech.module.css'
import { install, speechQuery } from './speech.ts'

/** Explains offline speech, and installs it. */
export function SpeechCard() {
  const workspace = useWorkspaceId()
  const { data, error, refetch } = useQuery(speechQuery(workspace))
  return (
    <Card title={data?.status === 'installed' ? 'Speech is installed' : 'Install speech'}>
      {error && !data && <LoadError error={error} retry={refetch} />}
      {!data && !error && <LoadingSkeleton />}
      {data && <Details speech={data} />}
    </Card>
  )
}

function Details({ speech }: { speech: SpeechStatus }) {
  const { status, message, progress, folder_bytes, languages, licenses } = speech
  return (
    <Stack>
      <p className={styles.text}>
        With offline speech, agents hear and speak on this server, without an account anywhere. It understands and
        speaks {new Intl.ListFormat('en').format(languages)}, and takes {formatBytes(folder_bytes)} on the disk. Agents
        with speech providers don’t need it.
      </p>
      {licenses.length > 0 && (
        <div className={styles.licenses}>
          <Disclosure summary="Licenses">
            <ul>
              {licenses.map(({ name, license }) => (
                <li key={name}>
                  {name} ({license})
                </li>
              ))}
            </ul>
          </Disclosure>
        </div>
      )}
      {status === 'failed' && <ErrorAlert>{message ?? 'The install failed.'}</ErrorAlert>}
      {status === 'installing' && (
        <>
          <ProgressBar
            verb="Installing"
            detail={message ?? ''}
            percent={progress === null ? undefined : Math.round(progress * 100)}
          />
          <p className={styles.text}>You can close this. The install goes on.</p>
        </>
      )}
      {(status === 'not_installed' || status === 'failed') && <InstallAction speech={speech} />}
    </Stack>
  )
}

function InstallAction({ speech: { may_install, status } }: { speech: SpeechStatus }) {
  const workspace = useWorkspaceId()
  const client = useQueryClient()
  const installing = useMutation({
    mutationFn: () => install(workspace),
    onSuccess: (speech) => client.setQueryData(speechQuery(workspace).queryKey, speech),
  })
  if (!may_install)
    return (
      <Stack>
        <p className={styles.text}>
          Owners of the first workspace can install it here. Whoever runs the server can also use this command:
        </p>
        <CopyField label="On the server" value="npx parley speech install" copy_label="Copy command" />
      </Stack>
    )
  return (
    <Stack>
      {installing.error && <ErrorAlert>{errorMessage(installing.error)}</ErrorAlert>}
      <div>
        <Button loading={installing.isPending} onClick={() => installing.mutate()}>
          {status === 'failed' ? 'Try again' : 'Install'}
        </Button>
      </div>
    </Stack>
  )
}

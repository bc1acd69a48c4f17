import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import type { FieldError } from '../../kit/error-messages.ts'
import { CodeIcon } from '../../kit/icons.tsx'
import { toJsonText } from '../../kit/json.ts'
import { EmptyState, LoadError, LoadingSkeleton } from '../../kit/states.tsx'
import { Segments } from '../Segments.tsx'
import { Steps } from './Steps.tsx'
import styles from './script.module.css'
import type { Script } from './script.ts'

interface ScriptEditorProps {
  /** JSON text as it was typed. */
  text: string
  /** The script. Undefined if the JSON has errors. */
  script: Script | undefined
  greeting: string
  errors: FieldError[]
  /** The step in which a test chat is. */
  current: string | undefined
  is_read_only: boolean
  onChange: (text: string) => void
}

type View = 'steps' | 'map' | 'json'

export function ScriptEditor(props: ScriptEditorProps) {
  const { text, script, greeting, errors, current, is_read_only, onChange } = props
  const [view, setView] = useState<View>('steps')
  const [open, setOpen] = useState<string>()
  const openStep = useCallback((name: string) => {
    setOpen(name)
    setView('steps')
  }, [])
  const change = (changed: Script) => onChange(toJsonText(changed))
  return (
    <>
      <Segments
        className={styles.views}
        size="xs"
        aria-label="View of the script"
        data={[
          { value: 'steps', label: 'Steps' },
          { value: 'map', label: 'Map' },
          { value: 'json', label: 'JSON' },
        ]}
        value={view}
        onChange={(value) => setView(value as View)}
      />
      {view === 'json' && <JsonView text={text} errors={errors} is_read_only={is_read_only} onChange={onChange} />}
      {view !== 'json' && !script && (
        <EmptyState icon={<CodeIcon size={24} />} title="The JSON has errors">
          Fix them under JSON to see the steps.
        </EmptyState>
      )}
      {view === 'steps' && script && (
        <Steps
          script={script}
          greeting={greeting}
          errors={errors}
          current={current}
          is_read_only={is_read_only}
          open={open}
          onOpen={setOpen}
          onChange={change}
        />
      )}
      {view === 'map' && script && <MapView script={script} greeting={greeting} current={current} onOpen={openStep} />}
    </>
  )
}

/** The code of a view is loaded when it is opened. Without a connection the page, and what was typed, stay. */
const code = { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY }

interface MapViewProps {
  script: Script
  greeting: string
  current: string | undefined
  onOpen: (name: string) => void
}

function MapView(props: MapViewProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['code', 'script map'],
    queryFn: () => import('./ScriptMap.tsx'),
    ...code,
  })
  if (error) return <LoadError error={error} retry={refetch} />
  return data ? <data.ScriptMap {...props} /> : <LoadingSkeleton lines={6} />
}

function JsonView({ text, ...props }: Omit<ScriptEditorProps, 'script' | 'greeting' | 'current'>) {
  const { data, error, refetch } = useQuery({
    queryKey: ['code', 'script editor'],
    queryFn: () => import('./ScriptJson.tsx'),
    ...code,
  })
  if (error) return <LoadError error={error} retry={refetch} />
  return data ? <data.ScriptJson value={text} {...props} /> : <LoadingSkeleton lines={6} />
}

import { FileButton, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { FileIcon, ImportIcon } from '../kit/icons.tsx'
import styles from './imports.module.css'

const kinds = '.csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain'

export function DropFile({ file, onFile }: { file: File | undefined; onFile: (file: File) => void }) {
  const [is_over, setOver] = useState(false)
  return (
    <FileButton
      accept={kinds}
      onChange={(chosen) => chosen && onFile(chosen)}
      inputProps={{ 'aria-label': 'CSV file' }}
    >
      {({ onClick }) => (
        <UnstyledButton
          className={styles.drop}
          data-over={is_over || undefined}
          onClick={onClick}
          onDragOver={(event) => {
            event.preventDefault()
            setOver(true)
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault()
            setOver(false)
            const [dropped] = event.dataTransfer.files
            if (dropped) onFile(dropped)
          }}
        >
          <span className={styles.dropIcon}>{file ? <FileIcon size={24} /> : <ImportIcon size={24} />}</span>
          <strong>{file ? file.name : 'Drop a CSV file here or choose one'}</strong>
          <span className={styles.hint}>
            {file
              ? `${formatSize(file.size)}. Drop another file to replace it.`
              : 'Comma, semicolon or tab separated, UTF-8 or UTF-16. The first row holds the column names.'}
          </span>
        </UnstyledButton>
      )}
    </FileButton>
  )
}

function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

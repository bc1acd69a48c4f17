import { Autocomplete } from '@mantine/core'
import type { ReactNode } from 'react'

const common =
  'en en-GB en-US de fr es es-MX pt pt-BR it nl pl sv da nb fi cs sk hu ro bg el hr sl sr uk ru tr ar he fa hi bn ta ur id ms vi th zh zh-TW ja ko'
const tags = common.split(' ')

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

function languageName(tag: string): string | undefined {
  try {
    return names.of(tag)
  } catch {
    return undefined
  }
}

interface LanguageFieldProps {
  label: string
  /** The text while nothing is entered. */
  placeholder?: string
  value: string
  error?: ReactNode
  onChange: (tag: string) => void
}

/** A field for a language, found by name or tag: "German" is `de`. Other tags can be entered. */
export const LanguageField = ({ value, ...props }: LanguageFieldProps) => (
  <Autocomplete
    description={languageName(value.trim())}
    data={tags}
    value={value}
    limit={tags.length}
    filter={({ options, search }) => options.filter((option) => 'value' in option && matches(option.value, search))}
    renderOption={({ option }) => `${languageName(option.value)} (${option.value})`}
    {...props}
  />
)

const matches = (tag: string, search: string): boolean =>
  `${languageName(tag)} ${tag}`.toLowerCase().includes(search.trim().toLowerCase())

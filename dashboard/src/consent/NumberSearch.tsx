import { CloseButton, TextInput } from '@mantine/core'
import { useState } from 'react'
import { SearchIcon } from '../kit/icons.tsx'
import { isPhoneNumber, useToPhoneNumber } from '../kit/phone-number.ts'
import { useSearchText } from '../kit/useSearchText.ts'
import styles from './consent.module.css'

const typing_ms = 300

interface NumberSearchProps {
  phone_number: string | undefined
  onSearch: (phone_number: string | undefined) => void
}

/** Searches while typing. Suppressions are found by the whole number only. */
export function NumberSearch({ phone_number, onSearch }: NumberSearchProps) {
  const toPhoneNumber = useToPhoneNumber()
  const [is_valid, setValid] = useState(true)
  const { text, type } = useSearchText({
    searched: phone_number ?? '',
    typing_ms,
    read: async (typed) => {
      const number = await toPhoneNumber(typed)
      setValid(number === '' || isPhoneNumber(number))
      return isPhoneNumber(number) ? number : ''
    },
    onSearch,
  })
  return (
    <search className={styles.search}>
      <TextInput
        type="search"
        aria-label="Search by phone number"
        placeholder="Search by phone number"
        leftSection={<SearchIcon size={17} />}
        rightSection={text && <CloseButton size="sm" aria-label="Clear" onClick={() => type('')} />}
        error={is_valid ? undefined : 'Enter the whole number with its country code, such as +1 415 555 0123.'}
        value={text}
        onChange={({ currentTarget }) => type(currentTarget.value)}
      />
    </search>
  )
}

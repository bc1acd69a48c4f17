import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { SearchIcon } from '../kit/icons.tsx'
import { isPhoneNumber, useToPhoneNumber } from '../kit/phone-number.ts'
import styles from './consent.module.css'

const typing_ms = 300

interface NumberSearchProps {
  phone_number: string | undefined
  onSearch: (phone_number: string | undefined) => void
}

/** Searches while typing. Suppressions are found by the whole number only. */
export function NumberSearch({ phone_number, onSearch }: NumberSearchProps) {
  const [text, setText] = useState(phone_number ?? '')
  const sent = useRef(phone_number)
  const toPhoneNumber = useToPhoneNumber()
  const [is_valid, setValid] = useState(true)
  const search = useDebouncedCallback(async (value: string) => {
    const number = await toPhoneNumber(value)
    setValid(number === '' || isPhoneNumber(number))
    const wanted = isPhoneNumber(number) ? number : undefined
    if (wanted === sent.current) return
    sent.current = wanted
    onSearch(wanted)
  }, typing_ms)
  useEffect(() => {
    // The URL changed for another reason than typing.
    if (phone_number === sent.current) return
    sent.current = phone_number
    setText(phone_number ?? '')
  }, [phone_number])
  const type = (value: string) => {
    setText(value)
    void search(value)
  }
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

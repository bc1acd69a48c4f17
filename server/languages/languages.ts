import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { hi } from './hi.ts'
import { it } from './it.ts'
import { ja } from './ja.ts'
import { ko } from './ko.ts'
import type { Language } from './language.ts'
import { nl } from './nl.ts'
import { pl } from './pl.ts'
import { pt } from './pt.ts'
import { sv } from './sv.ts'
import { tr } from './tr.ts'
import { zh } from './zh.ts'

/** All languages. Of several that have a word, the first one counts where nothing else says which it is. */
export const languages: Language[] = [en, es, fr, pt, de, it, nl, pl, sv, tr, ja, zh, ko, hi, ar]

/** Whether the language is that of a BCP 47 tag such as `de-AT`. */
export const isOf = ({ tag }: Language, full_tag: string): boolean => tag === full_tag.split('-')[0]?.toLowerCase()

/** Returns the language of a BCP 47 tag such as `de-AT`, if it is known. */
export const findLanguage = (tag: string): Language | undefined => languages.find((one) => isOf(one, tag))

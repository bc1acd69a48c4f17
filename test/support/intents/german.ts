import { lines, type Sentences } from './sentences.ts'

/** Each sentence was judged by a person, as an answer to an agent on the telephone or in a chat. */
export const german: Sentences = {
  yes: {
    heard: lines(`
Ja
Ja, gerne
Jawohl
Ja bitte
Genau
Genau, so ist es
Klar
Na klar!
Sicher
Sehr gern
Natürlich
Auf jeden Fall
Ok
Okay, danke
In Ordnung
Das ist in Ordnung
Richtig
Stimmt
Das passt
Einverstanden
Sehr gut
Perfekt, vielen Dank
Kein Problem
Warum nicht?
So machen wir das
Ja, aber was kostet das?
`),
    not_heard: lines(`
Ist das richtig?
Passt das?
Geht das in Ordnung?
Sind Sie sicher?
Ich bin nicht sicher
Das stimmt nicht
Das ist ja schlimm
Guten Tag
Mir geht es gut
Was ist das genaue Datum?
Ich weiß nicht, ob das geht
Wie genau läuft das ab?
Ich hatte einen guten Eindruck
Wir kommen im Januar
Ich frage, ob das passt
Wenn das geht, komme ich
Kann ich sicher parken?
Gibt es einen richtigen Eingang?
Seit einem Jahr tut es weh
Welche Nummer ist die richtige?
Nein, nicht gut
`),
  },
  no: {
    heard: lines(`
Nein
Nein danke
Nee
Ne, danke
Nein, das will ich nicht
das geht leider nicht
Das passt mir nicht
Dienstag geht nicht
Geht leider nicht
Kein Interesse
Ich bin nicht interessiert
Das stimmt nicht
Das ist falsch
Falsch
Lieber nicht
Auf keinen Fall
Niemals
Das möchte ich nicht
Ich kann da nicht
Das ist nicht möglich
Kein Bedarf
Natürlich nicht
`),
    not_heard: lines(`
Kein Problem
Ich kann Sie nicht hören
Da haben Sie die falsche Nummer
Ich weiß nicht
Ich habe keine Versicherung
Nicht wahr?
Warum geht das Licht nicht?
Ja oder nein?
Neun Uhr
Eine Frage noch
Der Zahn tut nicht weh
Ich habe den Brief nicht bekommen
Ich kann nicht schlafen
Meine neue Nummer ist vier
Können Sie nicht früher?
Ich möchte nicht lange warten
Das ist nicht weit
Ist das nicht teuer?
Haben Sie keine Parkplätze?
Ich kenne den Weg nicht
Gern
`),
  },
  repeat: {
    heard: lines(`
Wie bitte?
Bitte was?
Was?
Nochmal bitte
Noch einmal, bitte
Können Sie das wiederholen?
Können Sie das bitte noch einmal sagen?
Wiederholen Sie das bitte
Bitte wiederholen
Könnten Sie die Frage wiederholen?
Was haben Sie gesagt?
Was sagten Sie?
Was hast du gesagt?
Ich habe Sie nicht verstanden
Das habe ich nicht verstanden
Das habe ich leider nicht ganz verstanden
Ich habe das akustisch nicht verstanden
Nicht verstanden
Das hab ich nicht gehört
Ich verstehe Sie so schlecht
Ich kann Sie nicht hören
Sagen Sie das nochmal
`),
    not_heard: lines(`
Ich möchte den Kurs wiederholen
Ich brauche noch einmal einen Termin
Kann ich nochmal kommen?
Ich habe noch nicht von Ihnen gehört
Ich habe die Rechnung nicht verstanden
Was kostet das?
Wie ist das Wetter?
Rufen Sie morgen noch mal an
Muss ich die Behandlung wiederholen?
Das tut wieder weh
Ich höre schlecht auf einem Ohr
Auf Wiederhören
Bitte einen Termin
Noch mal vielen Dank
Was haben Sie für Zeiten?
Ich habe einen Hörtest
Wie lange dauert das?
Ich verstehe
Sie haben gesagt, es ist frei
Bitte warten Sie
Ich will nicht noch einmal warten
`),
  },
  human: {
    heard: lines(`
Mensch
Einen Menschen, bitte
Einen Mitarbeiter bitte
Ich möchte mit einem Mitarbeiter sprechen
Ich will mit einem Menschen reden
Kann ich mit jemandem sprechen?
Kann ich bitte mit einer richtigen Person sprechen?
Kann ich jemanden sprechen?
Verbinden Sie mich mit einem Kollegen
Verbinden Sie mich bitte mit der Zentrale
Ich möchte mit Ihrem Chef sprechen
Geben Sie mir einen Menschen
Holen Sie mir einen Kollegen
Ich will einen echten Menschen
Ich brauche einen Mitarbeiter
Kundendienst
Kundendienst bitte
Zentrale, bitte
Ich spreche lieber mit einem Menschen
Ich möchte nicht mit einem Computer sprechen
Stellen Sie mich zu einem Mitarbeiter durch
Ist da jemand?
`),
    not_heard: lines(`
Was kostet das pro Person?
Ein Tisch für eine Person
Sind Sie ein echter Mensch?
Bist du ein Mensch?
Spreche ich mit der Zentrale?
Wie viele Menschen arbeiten bei Ihnen?
Ihr Kollege hat mir geschrieben
Ihre Mitarbeiterin war sehr nett
Der Chef hat gesagt, ich soll kommen
Kann ich mit Maria sprechen?
Kann ich persönlich kommen?
Ich bin der Chef
Meine Kollegen kommen mit
Ich spreche kein Deutsch
Kann jemand die Tür öffnen?
Ich war beim Kundendienst
Können wir über den Preis sprechen?
Hat jemand angerufen?
Für zwei Personen
Der Eingang ist neben der Zentrale
Wer ist Ihr Ansprechpartner für Rechnungen in der Firma?
`),
  },
  stop: {
    heard: lines(`
Stopp
Stop!
Stopp bitte
Aufhören
Hören Sie auf
Hören Sie bitte auf, mich anzurufen
Bitte nicht mehr anrufen
Rufen Sie mich nicht mehr an
Rufen Sie hier nie wieder an
Schreiben Sie mir nicht mehr
Nie wieder anrufen
Abmelden
Ich möchte mich vom Newsletter abmelden
Melden Sie mich ab
Newsletter abbestellen
Keine Anrufe mehr
Keine Nachrichten mehr bitte
Ich will keine Anrufe
Löschen Sie meine Nummer
Lassen Sie mich in Ruhe
Ich will in Ruhe gelassen werden, rufen Sie mich nicht an
`),
    not_heard: lines(`
Ich habe den Brief nicht mehr
Wo ist die Haltestelle?
Ich habe keine Nachrichten bekommen
Warum rufen Sie mich nicht an?
Rufen Sie mich nicht vor neun an
Ich kann nicht mehr laufen
Es hört nicht auf zu bluten
Ich habe nicht angerufen
Kann ich Sie anrufen?
Der Schmerz ist nicht mehr da
Ich melde mich
Ich möchte Brötchen bestellen
Löschen Sie meinen Termin am Montag
In der Ruhe liegt die Kraft
Hören Sie mich?
Ich höre bald mit der Arbeit auf
Ich weiß es nicht mehr
Ich habe keinen Anruf bekommen
Schreiben Sie mir eine Nachricht
Hält der Bus dort?
Muss ich das Auto abmelden?
`),
  },
  wrong_person: {
    heard: lines(`
Falsche Nummer
Da haben Sie die falsche Nummer
Sie haben die falsche Person
Sie haben sich verwählt
Da haben Sie sich wohl verwählt
Verwählt
Falsch verbunden
Sie sind falsch verbunden
Das bin ich nicht
Das bin nicht ich
Nein, das bin ich nicht
Ich bin nicht Herr Müller
Ich bin nicht die Person
Ich kenne ihn nicht
Ich kenne diese Person nicht
Den kenne ich nicht
Er wohnt hier nicht
Sie wohnt hier nicht mehr
Frau Meier arbeitet hier nicht mehr
Hier wohnt kein Herr Müller
Hier gibt es keinen Müller
`),
    not_heard: lines(`
Habe ich die falsche Nummer?
Ich habe mich verwählt
Ich habe Ihnen die falsche Nummer gegeben
Der falsche Zahn
Ich bin nicht zufrieden
Ich kenne die Preise nicht
Meine Mutter wohnt nicht in Berlin
Das ist falsch
Bin ich hier richtig?
Ich bin nicht sicher
Nicht ich allein, auch meine Frau
Kennen Sie ihn?
Ist das die richtige Nummer?
Ich wohne hier
Ich arbeite nicht am Montag
Das kenne ich
Wir sind verbunden
Ich bin nicht krank
Ich bin bald da
Ich habe nicht viel Zeit
Wer ist die Person?
`),
  },
  busy: {
    heard: lines(`
ich habe gerade keine Zeit
Keine Zeit
Ich habe jetzt leider keine Zeit
Ich bin beschäftigt
Ich bin gerade sehr beschäftigt
Später
Später bitte
Rufen Sie später an
Rufen Sie mich morgen zurück
Können Sie mich zurückrufen?
Bitte um Rückruf
Es ist gerade schlecht
Gerade schlecht
Das passt gerade nicht
Es passt mir jetzt nicht
Ich bin im Termin
Ich bin in einer Besprechung
Ich bin am Steuer
Ich fahre gerade Auto
Ein anderes Mal
Ich kann jetzt nicht sprechen
Jetzt nicht
Können Sie später noch einmal anrufen?
`),
    not_heard: lines(`
Geht es auch später?
Haben Sie später noch Termine?
Ich möchte einen Termin später am Tag
Früher oder später muss es sein
Eine Stunde später war es weg
Sind Sie montags beschäftigt?
Wie lange ist die Zeit?
Ich hatte einen Termin
Ich brauche einen Termin
Sie haben mich nicht zurückgerufen
Ich habe keinen Rückruf bekommen
Mir ist schlecht
Passt Dienstag?
Ist es jetzt frei?
Mein Auto steht vor der Tür
Kann ich jetzt kommen?
Ich habe Zeit
Das erste Mal
Um wie viel Uhr?
Ich rufe später an
Was ist eine Besprechung?
`),
  },
  goodbye: {
    heard: lines(`
Auf Wiedersehen
Auf Wiederhören
Vielen Dank, auf Wiederhören!
Danke, auf Wiedersehen
Wiedersehen
Tschüss
Tschüss, danke
Okay, tschüss
Danke, tschüs
Tschau
Ciao
Schönen Tag noch
Einen schönen Tag noch
Schönes Wochenende
Das wars
Das war's, danke
Das war es schon
Das war alles
Das ist alles, vielen Dank
Bis dann
Bis bald
Bis morgen
Ich lege jetzt auf
`),
    not_heard: lines(`
Ist das alles inklusive?
Das ist alles, was ich wissen will: was kostet Bleaching?
Das war's? Was kostet das?
War das alles?
Tschüss, und wie zahle ich?
Ich komme bis morgen
Bis dann muss es fertig sein
Bis morgen brauche ich den Termin
Es war ein schöner Tag
Nicht auflegen!
Bitte legen Sie nicht auf
Wann sehe ich Sie wieder?
Wiedersehen wir uns am Montag?
Alles tut weh
Das ist alles sehr teuer
Ich habe alles dabei
Schön, dass Sie da sind
Habe ich einen schönen Tag erwischt?
Dann bis Montag warten?
Das war alles sehr nett bei Ihnen
Wie sage ich auf Wiedersehen?
`),
  },
}

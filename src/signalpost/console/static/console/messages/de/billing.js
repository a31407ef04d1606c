// German of pages/billing.js.
export default /** @type {Record<string, string>} */ ({
  "1, not at all": "1, gar nicht",
  "5, very much": "5, sehr",
  "A payment failed. Pay the open invoice or change the card.":
    "Eine Zahlung ist fehlgeschlagen. Bezahlen Sie die offene Rechnung oder ändern Sie die Karte.",
  "A payment failed. The plan stays in force until {day} ({when}); then the workspace has the plan Free. Pay the open invoice or change the card.":
    "Eine Zahlung ist fehlgeschlagen. Der Tarif gilt noch bis zum {day} ({when}); danach hat der Arbeitsbereich den Tarif Free. Bezahlen Sie die offene Rechnung oder ändern Sie die Karte.",
  "Ask the owner of the workspace about its plan.":
    "Fragen Sie den Besitzer des Arbeitsbereichs nach dem Tarif.",
  "Cancel the subscription": "Abonnement kündigen",
  "Captions by AI a month": "Texte von KI im Monat",
  "Cards and invoices": "Karten und Rechnungen",
  "Change the plan": "Tarif ändern",
  "Change to {plan}": "Zu {plan} wechseln",
  "Confirm it by {when}: the page opens in another tab, and this one follows by itself. Until then nothing is charged, and the plan stays as it is.":
    "Bestätigen Sie sie bis {when}: Die Seite öffnet sich in einem neuen Tab, und diese folgt von selbst. Bis dahin wird nichts abgebucht, und der Tarif bleibt, wie er ist.",
  "Confirm the payment": "Zahlung bestätigen",
  "Continue it": "Fortsetzen",
  Decline: "Ablehnen",
  "Drop the change": "Wechsel verwerfen",
  "Enter a card": "Karte eingeben",
  "Everything is unlimited.": "Alles ist unbegrenzt.",
  "Go to the payment": "Zur Bezahlung",
  "How do you like it?": "Wie gefällt es Ihnen?",
  "In your own words": "In Ihren Worten",
  "It begins at once. The rest of the period is paid now, minus what was paid already.":
    "Er beginnt sofort. Der Rest des Zeitraums wird jetzt bezahlt, abzüglich dessen, was schon bezahlt ist.",
  "It begins on {day}, at the end of the period that is paid. Until then everything stays as it is.":
    "Er beginnt am {day}, am Ende des bezahlten Zeitraums. Bis dahin bleibt alles, wie es ist.",
  "It ends on {day}; what is paid stays in force until then. You can continue it before.":
    "Es endet am {day}; was bezahlt ist, gilt bis dahin. Vorher können Sie es fortsetzen.",
  "Keep the current one": "Den jetzigen behalten",
  "Next payment on {day}.": "Nächste Zahlung am {day}.",
  "Nothing changes at the end of the period.": "Am Ende des Zeitraums ändert sich nichts.",
  "On {day} the plan becomes {plan}.": "Am {day} wird der Tarif {plan}.",
  "Only owners and admins see this": "Das sehen nur Besitzer und Admins",
  "Only the owner can change it.": "Nur der Besitzer kann ihn ändern.",
  "Only the person whose card pays can confirm it.": "Bestätigen kann sie nur, wessen Karte zahlt.",
  Paid: "Bezahlt",
  "Pay by month": "Monatlich zahlen",
  "Pay by year": "Jährlich zahlen",
  Plans: "Tarife",
  "Posts a month": "Beiträge im Monat",
  "Posts of each account in the last 24 hours. The networks set these limits.":
    "Beiträge jedes Kontos in den letzten 24 Stunden. Diese Grenzen setzen die Netzwerke.",
  "Quotas of the networks": "Grenzen der Netzwerke",
  "Take the offer back": "Angebot zurücknehmen",
  "Tell us what you think": "Sagen Sie uns Ihre Meinung",
  "Thank you. People read it.": "Danke. Menschen lesen es.",
  "Thank you. The plan is in force as soon as the payment is confirmed; this page follows by itself.":
    "Danke. Der Tarif gilt, sobald die Zahlung bestätigt ist; diese Seite folgt von selbst.",
  "Thank you. The plan is in force.": "Danke. Der Tarif gilt.",
  "The offer has ended.": "Das Angebot ist beendet.",
  "The payment page opens. The plan is in force when the payment is confirmed.":
    "Die Zahlungsseite öffnet sich. Der Tarif gilt, wenn die Zahlung bestätigt ist.",
  "The plan changes at the end of the period.": "Der Tarif ändert sich am Ende des Zeitraums.",
  "The plan stays as it is.": "Der Tarif bleibt, wie er ist.",
  "The plan {plan} is in force.": "Der Tarif {plan} gilt.",
  "The subscription continues.": "Das Abonnement geht weiter.",
  "The subscription ends with its period.": "Das Abonnement endet mit seinem Zeitraum.",
  "The subscription has ended.": "Das Abonnement ist beendet.",
  "The subscription is cancelled and ends on {day}. Until then everything stays as it is.":
    "Das Abonnement ist gekündigt und endet am {day}. Bis dahin bleibt alles, wie es ist.",
  "The subscription is paused.": "Das Abonnement ruht.",
  "The trial ends on {day}. Then the first payment is made.":
    "Die Probezeit endet am {day}. Dann wird zum ersten Mal bezahlt.",
  "This installation sells no plans: every workspace has all features, without limits.":
    "Diese Installation verkauft keine Tarife: Jeder Arbeitsbereich hat alle Funktionen, ohne Grenzen.",
  "Upgrade to {plan}": "Auf {plan} erweitern",
  "What is it about?": "Worum geht es?",
  "What is more than the plan allows stays, but nothing can be added until it fits.":
    "Was über den Tarif hinausgeht, bleibt; neues kommt erst hinzu, wenn es wieder passt.",
  "Why?": "Warum?",
  "You are offered this workspace. Enter a card by {day}: it pays from the next payment on, and the workspace becomes yours. Nothing is charged now.":
    "Ihnen wird dieser Arbeitsbereich angeboten. Geben Sie bis zum {day} eine Karte ein: Sie zahlt ab der nächsten Zahlung, und der Arbeitsbereich gehört Ihnen. Jetzt wird nichts abgebucht.",
  "Your bank wants you to confirm the payment for {plan}.":
    "Ihre Bank möchte, dass Sie die Zahlung für {plan} bestätigen.",
  "Your card pays for this workspace, which belongs to another person.":
    "Ihre Karte zahlt für diesen Arbeitsbereich, der einer anderen Person gehört.",
  "Your plan": "Ihr Tarif",
  "a month": "im Monat",
  "a year": "im Jahr",
  "by month": "monatlich",
  "by year": "jährlich",
  "it does not work well": "es funktioniert nicht gut",
  "limit not known": "Grenze nicht bekannt",
  "no answer": "keine Angabe",
  "not in this plan": "nicht in diesem Tarif",
  recommended: "empfohlen",
  "something else": "etwas anderes",
  "something is missing": "etwas fehlt",
  "the end of the period": "Ende des Zeitraums",
  "too expensive": "zu teuer",
  unlimited: "unbegrenzt",
  "until {day}": "bis {day}",
  "used up": "aufgebraucht",
  "we do not use it": "wir nutzen es nicht",
  "we use something else": "wir nutzen etwas anderes",
  yours: "Ihrer",
  "{brand} card that ends in {last4}, valid until {month}/{year}":
    "{brand}-Karte, die auf {last4} endet, gültig bis {month}/{year}",
  "{name} has paid until {day}. Enter a card of your own to go on.":
    "{name} hat bis zum {day} bezahlt. Geben Sie eine eigene Karte ein, damit es weitergeht.",
  "{name} is offered this workspace until {day}. It moves when a card is entered; yours is removed then.":
    "{name} kann diesen Arbeitsbereich bis zum {day} übernehmen. Er geht über, wenn eine Karte eingegeben ist; Ihre wird dann entfernt.",
  "{name} pays for it.": "{name} zahlt dafür.",
  "{n} % used": "{n} % verbraucht",
  "{price} a month": "{price} im Monat",
  "{price} a year": "{price} im Jahr",
});

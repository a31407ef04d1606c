// German of texts/failures.js.
export default /** @type {Record<string, string>} */ ({
  "A file could not be read.": "Eine Datei ließ sich nicht lesen.",
  "A file is too large for this network.": "Eine Datei ist zu groß für dieses Netzwerk.",
  "A file of the post is missing.": "Eine Datei des Beitrags fehlt.",
  "Another post has its time now.": "Ein anderer Beitrag hat jetzt seine Zeit.",
  "Approval was requested again; there is nothing to do.":
    "Die Freigabe ist noch einmal erbeten; es ist nichts zu tun.",
  "Change the post, then send it again.": "Ändern Sie den Beitrag, und senden Sie ihn dann noch einmal.",
  "Check it again later.": "Prüfen Sie es später noch einmal.",
  "Choose a larger plan under Billing, or remove what is too much, then try again.":
    "Wählen Sie unter „Abrechnung“ einen größeren Tarif, oder entfernen Sie, was zu viel ist; versuchen Sie es dann noch einmal.",
  "Choose another board, channel or community, then send it again.":
    "Wählen Sie eine andere Pinnwand, einen anderen Kanal oder eine andere Gruppe, und senden Sie ihn dann noch einmal.",
  "Choose the time zone of the client.": "Wählen Sie die Zeitzone des Kunden.",
  "Choose “Next free slot” again.": "Wählen Sie noch einmal „Nächster freier Termin“.",
  "Connect it again and agree to everything that is asked for, then try again.":
    "Verbinden Sie es neu und stimmen Sie allem zu, wonach gefragt wird; versuchen Sie es dann noch einmal.",
  "Connect it again and agree to everything that is asked for.":
    "Verbinden Sie es neu und stimmen Sie allem zu, wonach gefragt wird.",
  "Connect the account again before that.": "Verbinden Sie das Konto vorher neu.",
  "Connect the account again; what waits is then published. Try again what failed.":
    "Verbinden Sie das Konto neu; was wartet, erscheint dann. Was gescheitert ist, versuchen Sie noch einmal.",
  "Connect the same account again, then try again.":
    "Verbinden Sie dasselbe Konto wieder, und versuchen Sie es dann noch einmal.",
  "Delete it at the network, or delete the post here once more, also at the networks.":
    "Löschen Sie ihn beim Netzwerk, oder löschen Sie den Beitrag hier noch einmal, auch bei den Netzwerken.",
  "Delete it at the network, or try to remove it here once more.":
    "Löschen Sie ihn beim Netzwerk, oder versuchen Sie hier noch einmal, ihn zu entfernen.",
  "It is tried again. If this stays, connect the account again.":
    "Es wird wieder versucht. Bleibt es so, verbinden Sie das Konto neu.",
  "It is unknown whether the post was published.": "Ob der Beitrag erschienen ist, ist unbekannt.",
  "Look at the account and say whether it is there; nothing is sent again before that.":
    "Sehen Sie beim Konto nach, und sagen Sie, ob er da ist; vorher wird nichts noch einmal gesendet.",
  "Look at the account first; change the text if it is meant to appear twice.":
    "Sehen Sie zuerst beim Konto nach; ändern Sie den Text, wenn er zweimal erscheinen soll.",
  "Make it public at the network.": "Machen Sie ihn beim Netzwerk öffentlich.",
  "No time zone was named, so UTC is taken.": "Keine Zeitzone war genannt, deshalb gilt UTC.",
  "Nothing was posted. Try again when it is back.":
    "Nichts ist erschienen. Versuchen Sie es noch einmal, wenn es wieder da ist.",
  "Nothing was posted. Try again.": "Nichts ist erschienen. Versuchen Sie es noch einmal.",
  "Open the page of the account to see why.": "Auf der Seite des Kontos steht, warum.",
  "Publish it now, or choose another time.":
    "Veröffentlichen Sie ihn jetzt, oder wählen Sie eine andere Zeit.",
  "Replace it with a smaller one.": "Ersetzen Sie sie durch eine kleinere.",
  "Replace it with another kind, such as JPEG or MP4.":
    "Ersetzen Sie sie durch eine andere Art, etwa JPEG oder MP4.",
  "Resume it on its page; what waits is then published.":
    "Setzen Sie es auf seiner Seite fort; was wartet, erscheint dann.",
  "Shorten it for this account, then send it again.":
    "Kürzen Sie ihn für dieses Konto, und senden Sie ihn dann noch einmal.",
  "Sign in at the network and do what it asks for, then try again.":
    "Melden Sie sich beim Netzwerk an und tun Sie, was es verlangt; versuchen Sie es dann noch einmal.",
  "Someone who approves decides before it goes out.": "Wer freigibt, entscheidet, bevor er erscheint.",
  "Subscribe to it at the network, then try again.":
    "Schließen Sie ihn beim Netzwerk ab, und versuchen Sie es dann noch einmal.",
  "The account cannot publish right now.": "Das Konto kann gerade nicht veröffentlichen.",
  "The account could not be checked.": "Das Konto ließ sich nicht prüfen.",
  "The account did not allow this kind of post.": "Das Konto hat diese Art Beitrag nicht erlaubt.",
  "The account has used up what the network allows in a day.":
    "Das Konto hat verbraucht, was das Netzwerk am Tag erlaubt.",
  "The account is no longer connected.": "Das Konto ist nicht mehr verbunden.",
  "The account is paused.": "Das Konto ist angehalten.",
  "The client of this post was deleted.": "Der Kunde dieses Beitrags ist gelöscht.",
  "The clocks change at this time.": "Zu dieser Zeit werden die Uhren umgestellt.",
  "The connection could not be renewed last time.": "Die Verbindung ließ sich zuletzt nicht erneuern.",
  "The connection ends within a week, and cannot be renewed by itself.":
    "Die Verbindung endet innerhalb einer Woche und lässt sich nicht von selbst erneuern.",
  "The connection to the account has expired.": "Die Verbindung zum Konto ist abgelaufen.",
  "The network already has this post.": "Das Netzwerk hat diesen Beitrag schon.",
  "The network asks for a paid plan for this.": "Das Netzwerk verlangt dafür einen bezahlten Tarif.",
  "The network could not be reached.": "Das Netzwerk war nicht zu erreichen.",
  "The network could not process a file.": "Das Netzwerk konnte eine Datei nicht verarbeiten.",
  "The network does not let this account post.": "Das Netzwerk lässt dieses Konto nicht veröffentlichen.",
  "The network does not take this kind of file.": "Das Netzwerk nimmt diese Art Datei nicht.",
  "The network keeps this account waiting.": "Das Netzwerk lässt dieses Konto warten.",
  "The network keeps this post private until it has checked the app of this service.":
    "Das Netzwerk hält diesen Beitrag privat, bis es die App dieses Dienstes geprüft hat.",
  "The network refused the content.": "Das Netzwerk hat den Inhalt abgelehnt.",
  "The network restricts this account at the moment.": "Das Netzwerk schränkt dieses Konto zurzeit ein.",
  "The network takes no more posts at the moment.": "Das Netzwerk nimmt zurzeit keine weiteren Beiträge.",
  "The network was not available.": "Das Netzwerk war nicht erreichbar.",
  "The place to post to is not there.": "Den Ort, an dem der Beitrag erscheinen soll, gibt es nicht.",
  "The plan does not cover this account or client.":
    "Der Tarif deckt dieses Konto oder diesen Kunden nicht ab.",
  "The post could not be removed from the network.": "Der Beitrag ließ sich nicht vom Netzwerk entfernen.",
  "The post is being removed from a network.": "Der Beitrag wird gerade von einem Netzwerk entfernt.",
  "The post shows the moment that is taken.": "Beim Beitrag steht der Zeitpunkt, der genommen wird.",
  "The post stays at a network, since nobody asked for it to be removed there.":
    "Der Beitrag bleibt bei einem Netzwerk, weil niemand darum gebeten hat, ihn dort zu entfernen.",
  "The post waits for approval.": "Der Beitrag wartet auf Freigabe.",
  "The post was changed while it waited for approval.":
    "Der Beitrag wurde geändert, während er auf Freigabe wartete.",
  "The post was removed from a network.": "Der Beitrag ist von einem Netzwerk entfernt.",
  "The post was stopped when a part of it was public already.":
    "Der Beitrag wurde angehalten, als ein Teil schon öffentlich war.",
  "The text is too long for this network.": "Der Text ist zu lang für dieses Netzwerk.",
  "The time for this post passed before it could be published.":
    "Die Zeit für diesen Beitrag verging, bevor er erscheinen konnte.",
  "There is nothing to do: it goes out by itself.": "Es ist nichts zu tun: Er erscheint von selbst.",
  "Try again later, and leave more time between posts of this account.":
    "Versuchen Sie es später noch einmal, und lassen Sie zwischen Beiträgen dieses Kontos mehr Zeit.",
  "Try again to publish the rest, or delete it also at the networks.":
    "Versuchen Sie es noch einmal, um den Rest zu veröffentlichen, oder löschen Sie ihn auch bei den Netzwerken.",
  "Try again tomorrow.": "Versuchen Sie es morgen noch einmal.",
  "Try again; if it fails again, tell whoever runs this service.":
    "Versuchen Sie es noch einmal; scheitert es wieder, sagen Sie es dem Betreiber dieses Dienstes.",
  "Try again; if it fails again, upload the file again.":
    "Versuchen Sie es noch einmal; scheitert es wieder, laden Sie die Datei noch einmal hoch.",
  "Try again; if it fails again, use an MP4 or a JPEG.":
    "Versuchen Sie es noch einmal; scheitert es wieder, nehmen Sie MP4 oder JPEG.",
  "Upload it again, add it to the post, then send it again.":
    "Laden Sie sie noch einmal hoch, fügen Sie sie hinzu, und senden Sie den Beitrag dann noch einmal.",
  "Write the post again for another client.":
    "Schreiben Sie den Beitrag für einen anderen Kunden noch einmal.",
});

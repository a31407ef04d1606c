"""What mails say in German: English -> German."""

from typing import Final

GERMAN: Final = {
    "Receive no more of these messages": "Diese Nachrichten nicht mehr erhalten",
    "To receive no more of these messages: {link}": "Um diese Nachrichten nicht mehr zu erhalten: {link}",
    "Choose what you are mailed": "Wählen, worüber Sie Mails erhalten",
    "Choose what you are mailed: {link}": "Wählen Sie, worüber Sie Mails erhalten: {link}",
    "Posts wait for these accounts of the workspace {workspace}, or soon will:":
        "Für diese Konten des Arbeitsbereichs {workspace} warten Beiträge, oder bald:",
    "And {n} more.": "Und {n} weitere.",
    "{workspace}: 1 connected account needs attention": "{workspace}: Ein verbundenes Konto braucht Aufmerksamkeit",
    "{workspace}: {n} connected accounts need attention": "{workspace}: {n} verbundene Konten brauchen Aufmerksamkeit",
    "Connect it again. It keeps its posts.": "Verbinden Sie es erneut. Es behält seine Beiträge.",
    "Find out at the network why it is blocked. The service looks again by itself.":
        "Klären Sie beim Netzwerk, warum es gesperrt ist. Der Dienst sieht von selbst wieder nach.",
    "Its token ends within a week and cannot be renewed. Connect it again before that.":
        "Sein Token läuft binnen einer Woche ab und lässt sich nicht erneuern. Verbinden Sie es vorher erneut.",
    "The {network} account {username} of the workspace {workspace} was connected again, at another server than "
    "before.":
        "Das Konto {username} bei {network} im Arbeitsbereich {workspace} wurde erneut verbunden, bei einem anderen "
        "Server als vorher.",
    "Before: {server}": "Vorher: {server}",
    "Now: {server}": "Jetzt: {server}",
    "What is published as this account goes to the new server from now on. If you did not expect this, disconnect "
    "the account and change its password at the network.":
        "Was als dieses Konto veröffentlicht wird, geht von nun an zum neuen Server. Wenn Sie das nicht erwartet "
        "haben, trennen Sie das Konto und ändern Sie sein Passwort beim Netzwerk.",
    "An account of {workspace} is at another server now":
        "Ein Konto von {workspace} ist jetzt bei einem anderen Server",
    "{source} reports that the secret of the app “{name}” of the workspace {workspace} can be read by others. It was "
    "revoked at once: the app gets 401 when it asks for tokens. What people allowed it stays.":
        "{source} meldet, dass andere das Geheimnis der App „{name}“ des Arbeitsbereichs {workspace} lesen können. "
        "Es wurde sofort widerrufen: Die App erhält 401, wenn sie Tokens anfordert. Was Menschen ihr erlaubt haben, "
        "bleibt.",
    "Found at: {url}": "Gefunden unter: {url}",
    "Give the app another secret in the console, under Developers, Apps.":
        "Geben Sie der App in der Konsole ein anderes Geheimnis, unter Entwickler, Apps.",
    "A secret of {workspace} was found in public and revoked":
        "Ein Geheimnis von {workspace} war öffentlich und wurde widerrufen",
    "{workspace} asks you to approve posts for {profile}. Enter this code on the page that you opened:":
        "{workspace} bittet Sie, Beiträge für {profile} freizugeben. Geben Sie diesen Code auf der Seite ein, die "
        "Sie geöffnet haben:",
    "It works for twelve hours. If you did not open the page, you can ignore this message.":
        "Er gilt zwölf Stunden. Wenn Sie die Seite nicht geöffnet haben, ignorieren Sie diese Nachricht.",
    "Your code: {code}": "Ihr Code: {code}",
    "{name} approved your post.": "{name} hat Ihren Beitrag freigegeben.",
    "It is published {time}.": "Er wird veröffentlicht: {time}.",
    "It is published now.": "Er wird jetzt veröffentlicht.",
    "{name} rejected your post. It is not published.":
        "{name} hat Ihren Beitrag abgelehnt. Er wird nicht veröffentlicht.",
    "{name} asks you to change your post. It is not published until then.":
        "{name} verlangt Änderungen an Ihrem Beitrag. Bis dahin wird er nicht veröffentlicht.",
    "Approved: {title}": "Freigegeben: {title}",
    "Rejected: {title}": "Abgelehnt: {title}",
    "Changes requested: {title}": "Änderungen verlangt: {title}",
    "In the workspace {workspace}, this waits for your decision and is due within a day:":
        "Im Arbeitsbereich {workspace} wartet dies auf Ihre Entscheidung und ist binnen eines Tages fällig:",
    "In the workspace {workspace}, this waits for your decision:":
        "Im Arbeitsbereich {workspace} wartet dies auf Ihre Entscheidung:",
    "For {client}; {name} asks.": "Für {client}; {name} bittet darum.",
    "Someone": "Jemand",
    "To be published {time}.": "Soll veröffentlicht werden: {time}.",
    "All of them:": "Alle:",
    "{workspace}: 1 post waits for your decision, due within a day":
        "{workspace}: Ein Beitrag wartet auf Ihre Entscheidung, fällig binnen eines Tages",
    "{workspace}: {n} posts wait for your decision, due within a day":
        "{workspace}: {n} Beiträge warten auf Ihre Entscheidung, fällig binnen eines Tages",
    "{workspace}: 1 post waits for your decision": "{workspace}: Ein Beitrag wartet auf Ihre Entscheidung",
    "{workspace}: {n} posts wait for your decision": "{workspace}: {n} Beiträge warten auf Ihre Entscheidung",
    "Everything that the workspace {workspace} has is in one file now. Sign in and download it under Team until "
    "{time}. After that it is removed.":
        "Alles, was zum Arbeitsbereich {workspace} gehört, ist jetzt in einer Datei. Melden Sie sich an und laden "
        "Sie sie bis {time} unter Team herunter. Danach wird sie entfernt.",
    "Nobody but its owner can ask for an export. If that was not you, end your sessions and change your password.":
        "Nur wem er gehört, kann einen Export anfordern. Wenn Sie das nicht waren, beenden Sie Ihre Sitzungen und "
        "ändern Sie Ihr Passwort.",
    "The export of {workspace} is ready": "Der Export von {workspace} ist fertig",
    "The feed {feed} of the workspace {workspace} makes no more posts until someone has looked at it:":
        "Der Feed {feed} des Arbeitsbereichs {workspace} erzeugt keine Beiträge mehr, bis jemand nachgesehen hat:",
    "Address: {url}": "Adresse: {url}",
    "Go on with it under Feeds in the console.": "Setzen Sie ihn in der Konsole unter Feeds fort.",
    "The feed {feed} of {workspace} is held": "Der Feed {feed} von {workspace} ist angehalten",
    "More new items came at once than it may post in a day. Look at them, then go on with or without them.":
        "Es kamen auf einmal mehr neue Einträge, als er an einem Tag veröffentlichen darf. Sehen Sie sie an und "
        "machen Sie mit oder ohne sie weiter.",
    "Whoever set it up may no longer write such posts. Someone who may goes on with it.":
        "Wer ihn eingerichtet hat, darf solche Beiträge nicht mehr schreiben. Jemand, der es darf, setzt ihn fort.",
    "None of its accounts is connected any more. Choose others, then go on.":
        "Keines seiner Konten ist noch verbunden. Wählen Sie andere und machen Sie dann weiter.",
    "Its server says that the feed is gone for good.": "Sein Server sagt, dass es den Feed nicht mehr gibt.",
    "The plan has no room for this feed any more.": "Der Tarif hat für diesen Feed keinen Platz mehr.",
    "{owner} wants you to own the workspace {workspace}, and to pay for it from the next payment on. Nothing is "
    "charged now.":
        "{owner} möchte, dass der Arbeitsbereich {workspace} Ihnen gehört und Sie ab der nächsten Zahlung dafür "
        "zahlen. Jetzt wird nichts abgebucht.",
    "Sign in within {days} days, open Billing, and enter a card:":
        "Melden Sie sich binnen {days} Tagen an, öffnen Sie Abrechnung und geben Sie eine Karte an:",
    "The workspace becomes yours then, and the card of {owner} is removed. If you do nothing, everything stays as it "
    "is.":
        "Dann gehört der Arbeitsbereich Ihnen, und die Karte von {owner} wird entfernt. Wenn Sie nichts tun, bleibt "
        "alles, wie es ist.",
    "{owner} offers you the workspace {workspace}": "{owner} bietet Ihnen den Arbeitsbereich {workspace} an",
    "{source} reports that the access of the app “{name}” of the workspace {workspace} can be read by others. It was "
    "revoked at once, with the keys that it created: what uses it gets 401 now.":
        "{source} meldet, dass andere den Zugang der App „{name}“ des Arbeitsbereichs {workspace} lesen können. Er "
        "wurde sofort widerrufen, mit den Schlüsseln, die er erzeugt hat: Was ihn benutzt, erhält jetzt 401.",
    "{source} reports that the live API key “{name}” of the workspace {workspace} can be read by others. It was "
    "revoked at once, with the keys that it created: what uses it gets 401 now.":
        "{source} meldet, dass andere den Live-API-Schlüssel „{name}“ des Arbeitsbereichs {workspace} lesen können. "
        "Er wurde sofort widerrufen, mit den Schlüsseln, die er erzeugt hat: Was ihn benutzt, erhält jetzt 401.",
    "{source} reports that the test API key “{name}” of the workspace {workspace} can be read by others. It was "
    "revoked at once, with the keys that it created: what uses it gets 401 now.":
        "{source} meldet, dass andere den Test-API-Schlüssel „{name}“ des Arbeitsbereichs {workspace} lesen können. "
        "Er wurde sofort widerrufen, mit den Schlüsseln, die er erzeugt hat: Was ihn benutzt, erhält jetzt 401.",
    "With it ended what acts for it: numbers of the messenger and invitations that it made. Webhooks that it made "
    "are paused: enable those that are yours, which sends what they missed.":
        "Mit ihm endete, was für ihn handelt: Nummern des Messengers und Einladungen, die er erzeugt hat. Webhooks, "
        "die er erzeugt hat, sind angehalten: Schalten Sie Ihre eigenen wieder ein, dann wird gesendet, was sie "
        "verpasst haben.",
    "Posts that it scheduled and that still wait: {n}. They go out as planned unless you cancel them: look at them "
    "first.":
        "Beiträge, die er geplant hat und die noch warten: {n}. Sie gehen wie geplant hinaus, wenn Sie sie nicht "
        "abbrechen: Sehen Sie sie zuerst an.",
    "Create another key where you need one, and look into the audit log of the workspace whether the old one was "
    "used by someone else.":
        "Erzeugen Sie einen anderen Schlüssel, wo Sie einen brauchen, und prüfen Sie im Audit-Protokoll des "
        "Arbeitsbereichs, ob jemand anderes den alten benutzt hat.",
    "The {number} was linked to you in the workspace {workspace}, with the API key “{key}”.":
        "Im Arbeitsbereich {workspace} wurde mit dem API-Schlüssel „{key}“ mit Ihnen verknüpft: {number}.",
    "The {number} was linked to you in the workspace {workspace}.":
        "Im Arbeitsbereich {workspace} wurde mit Ihnen verknüpft: {number}.",
    "Who writes from it posts in your name.": "Wer von dort schreibt, veröffentlicht in Ihrem Namen.",
    "It replaces the {number}, which can do nothing any more.":
        "Das ersetzt, was nun nichts mehr bewirken kann: {number}.",
    "If you did not do this: revoke that key, which ends the link too, and look into the audit log.":
        "Wenn Sie das nicht waren: Widerrufen Sie diesen Schlüssel, was auch die Verknüpfung beendet, und sehen Sie "
        "ins Audit-Protokoll.",
    "If you did not do this: unlink it under My account in the console and choose a new password, which ends the "
    "link too.":
        "Wenn Sie das nicht waren: Lösen Sie die Verknüpfung in der Konsole unter Mein Konto und wählen Sie ein "
        "neues Passwort, was die Verknüpfung auch beendet.",
    "It has now sent a code of another person, so it is linked to them, and posts nothing in your name any more.":
        "Von dort kam jetzt der Code einer anderen Person. Also ist es mit ihr verknüpft und veröffentlicht nichts "
        "mehr in Ihrem Namen.",
    "A messenger was linked to you in {workspace}": "In {workspace} wurde ein Messenger mit Ihnen verknüpft",
    "Your messenger is no longer linked to {workspace}": "Ihr Messenger ist nicht mehr mit {workspace} verknüpft",
    "The workspace {workspace} went from {owner} to {successor}.":
        "Der Arbeitsbereich {workspace} ging von {owner} an {successor} über.",
    "You own it now: you decide about its members and its plan.":
        "Er gehört jetzt Ihnen: Sie entscheiden über seine Mitglieder und seinen Tarif.",
    "What is paid runs on; Billing shows whose card pays:":
        "Was bezahlt ist, läuft weiter; unter Abrechnung steht, wessen Karte zahlt:",
    "You are an admin of it now. Your card is not charged for it any more.":
        "Sie sind jetzt einer seiner Admins. Ihre Karte wird dafür nicht mehr belastet.",
    "What you have paid runs on until the end of its period, unless {successor} pays on.":
        "Was Sie bezahlt haben, läuft bis zum Ende des Zeitraums weiter, wenn {successor} nicht weiterzahlt.",
    "{workspace} belongs to {successor} now": "{workspace} gehört jetzt {successor}",
    "Your account is deleted": "Ihr Konto ist gelöscht",
    "The account of {email} was deleted, by someone who was signed in to it and confirmed it.":
        "Das Konto von {email} wurde gelöscht, von jemandem, der dort angemeldet war und es bestätigt hat.",
    "What you made in the workspaces of others stays there, without your name. The address is free for a new "
    "account.":
        "Was Sie in den Arbeitsbereichen anderer gemacht haben, bleibt dort, ohne Ihren Namen. Die Adresse ist "
        "für ein neues Konto frei.",
    "If it was not you: someone knows your password, so change it wherever you use it, and write to those who "
    "run {link}. They see in the history from where it was done.":
        "Wenn Sie es nicht waren: Jemand kennt Ihr Passwort. Ändern Sie es überall, wo Sie es benutzen, und "
        "schreiben Sie denen, die {link} betreiben. Sie sehen im Verlauf, von wo aus es geschah.",
    "Someone, probably you, requested a new password for {email}.":
        "Jemand, wahrscheinlich Sie, hat ein neues Passwort für {email} angefordert.",
    "Choose it here within {minutes} minutes:": "Wählen Sie es hier binnen {minutes} Minuten:",
    "Choose a new password": "Neues Passwort wählen",
    "If it was not you, you can ignore this message: your password stays the same.":
        "Wenn Sie es nicht waren, ignorieren Sie diese Nachricht: Ihr Passwort bleibt dasselbe.",
    "{name} mentions you in the discussion of a post:": "{name} erwähnt Sie in der Diskussion eines Beitrags:",
    "{name} wrote about a post by its link for approval:":
        "{name} hat über den Freigabelink zu einem Beitrag geschrieben:",
    "{name} about: {title}": "{name} zu: {title}",
    "Someone, probably you, wants the news about the status of this service at this address.":
        "Jemand, wahrscheinlich Sie, möchte Neues über den Status dieses Dienstes an diese Adresse.",
    "Confirm it here within {days} days:": "Bestätigen Sie das hier binnen {days} Tagen:",
    "Confirm the subscription": "Abonnement bestätigen",
    "If it was not you, you can ignore this message: nothing more will follow.":
        "Wenn Sie es nicht waren, ignorieren Sie diese Nachricht: Es folgt nichts weiter.",
    "Confirm your subscription to the service status": "Bestätigen Sie Ihr Abonnement des Dienststatus",
    "The status of the service:": "Der Status des Dienstes:",
    "{inviter} invites you to the workspace {workspace}, with the role {role}.":
        "{inviter} lädt Sie in den Arbeitsbereich {workspace} ein, in der Rolle {role}.",
    "Accept or decline the invitation within {days} days:":
        "Nehmen Sie die Einladung binnen {days} Tagen an, oder lehnen Sie sie ab:",
    "Look at the invitation": "Einladung ansehen",
    "If you do not know who this is, you can ignore this message.":
        "Wenn Sie nicht wissen, wer das ist, ignorieren Sie diese Nachricht.",
    "{inviter} invites you to {workspace}": "{inviter} lädt Sie zu {workspace} ein",
    "admin": "Admin",
    "editor": "Redakteur",
    "contributor": "Autor",
    "approver": "Prüfer",
    "viewer": "Leser",
    "Support wrote about your ticket {number}, {subject}:":
        "Der Support hat zu Ihrem Ticket {number}, {subject}, geschrieben:",
    "The status of your ticket {number}, {subject}, is now: {status}.":
        "Der Stand Ihres Tickets {number}, {subject}, ist jetzt: {status}.",
    "To answer:": "Antworten:",
    "Ticket {number} is {status}: {subject}": "Ticket {number} ist {status}: {subject}",
    "{name} wrote about ticket {number}, {subject}:": "{name} hat zu Ticket {number}, {subject}, geschrieben:",
    "Ticket {number}, {status}: {subject}": "Ticket {number}, Stand {status}: {subject}",
    "open": "offen",
    "in progress": "in Arbeit",
    "waiting on user": "in Erwartung einer Antwort",
    "resolved": "gelöst",
    "closed": "geschlossen",
    "planned": "geplant",
    "shipped": "ausgeliefert",
    "declined": "abgelehnt",
    "investigating": "wird untersucht",
    "identified": "Ursache gefunden",
    "monitoring": "wird beobachtet",
    "scheduled": "angekündigt",
    "verifying": "wird geprüft",
    "completed": "abgeschlossen",
    "The workspace {workspace} has used {used} of {maximum} {what} of this month (plan {plan}).":
        "Der Arbeitsbereich {workspace} hat {used} von {maximum} {what} dieses Monats verbraucht (Tarif {plan}).",
    "Until the next month begins (UTC), or until it has a larger plan, further ones are refused.":
        "Bis der nächste Monat beginnt (UTC) oder bis er einen größeren Tarif hat, werden weitere abgewiesen.",
    "{workspace} has used all of its {what} this month": "{workspace} hat alle {what} dieses Monats verbraucht",
    "{workspace} has used 80 % of its {what} this month": "{workspace} hat 80 % der {what} dieses Monats verbraucht",
    "posts": "Beiträge",
    "captions by AI": "Texte von KI",
    "The webhook {webhook} of the workspace {workspace} was disabled: its last {n} deliveries failed for good, and "
    "none succeeded for {days} days.":
        "Der Webhook {webhook} des Arbeitsbereichs {workspace} wurde abgeschaltet: Seine letzten {n} Zustellungen "
        "sind endgültig gescheitert, und seit {days} Tagen gelang keine.",
    "Nothing is sent to it, and new events are kept for 30 days. When the receiver works again, enable it in the "
    "console under Developers, Webhooks, which sends what it missed.":
        "Ihm wird nichts gesendet, und neue Ereignisse werden 30 Tage aufgehoben. Wenn der Empfänger wieder "
        "arbeitet, schalten Sie ihn in der Konsole unter Entwickler, Webhooks ein, dann wird gesendet, was er "
        "verpasst hat.",
    "A webhook of {workspace} was disabled": "Ein Webhook von {workspace} wurde abgeschaltet",
    "Your workspace {workspace} is ready. Sign in as {email}, connect an account, and write the first post:":
        "Ihr Arbeitsbereich {workspace} ist bereit. Melden Sie sich als {email} an, verbinden Sie ein Konto und "
        "schreiben Sie den ersten Beitrag:",
    "Programs publish too, with an API key that you make there. The documentation shows how:":
        "Auch Programme veröffentlichen, mit einem API-Schlüssel, den Sie dort erzeugen. Die Dokumentation zeigt, "
        "wie:",
    "Welcome, {workspace} is ready": "Willkommen, {workspace} ist bereit",
    "{profile}: your report for {month}": "{profile}: Ihr Bericht für {month}",
    "How the posts of {profile} did in {month}, with what was seen most:":
        "Wie die Beiträge von {profile} im {month} liefen, mit dem, was am meisten gesehen wurde:",
    "Open the report": "Bericht öffnen",
    "Whoever has this link reads the report. It comes from {workspace}.":
        "Wer diesen Link hat, liest den Bericht. Er kommt von {workspace}.",
    "January": "Januar",
    "February": "Februar",
    "March": "März",
    "April": "April",
    "May": "Mai",
    "June": "Juni",
    "July": "Juli",
    "August": "August",
    "September": "September",
    "October": "Oktober",
    "November": "November",
    "December": "Dezember",
    "Notifications work here": "Benachrichtigungen funktionieren hier",
    "So you will see what waits for you.": "So sehen Sie, was auf Sie wartet.",
    "Published only in part: {title}": "Nur teilweise veröffentlicht: {title}",
    "Not published: {title}": "Nicht veröffentlicht: {title}",
    "Your post for {client} did not go out at:": "Ihr Beitrag für {client} ging hier nicht hinaus:",
    "What you can do stands at the post:": "Was Sie tun können, steht beim Beitrag:",
}  # fmt: skip

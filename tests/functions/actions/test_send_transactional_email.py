"""One mail from a template."""

from __future__ import annotations

import pytest

from functions.actions.send_transactional_email import action
from functions.domain import errors
from functions.domain.services import Letter, Services
from tests.functions.actions.kit import context


class Mail:
    def __init__(self):
        self.sent = []

    def send(self, letter):
        self.sent.append(letter)
        return "id-1"


@pytest.fixture
def mail():
    return Mail()


def send(folder, mail, packaged=None, **inputs):
    services = Services(mail=lambda: mail, templates=packaged)
    return action(services).call(inputs, context(folder))


def template(folder, name, text):
    path = folder / "workspace" / "templates" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_page_is_filled_in_and_sent_under_the_key_of_the_step(tmp_path, mail):
    template(tmp_path, "welcome.html", "<title>Hi {{ name }}</title><p>{{ name }}</p>")
    data = {"name": "A & B"}
    given = send(tmp_path, mail, template="welcome.html", recipient=" a@example.com ", data=data)
    assert given == {"message_id": "id-1"}
    body = "<title>Hi A &amp; B</title><p>A &amp; B</p>"
    assert mail.sent == [Letter("run-1/s", "a@example.com", "Hi A & B", body, html=True)]


def test_a_subject_that_is_given_wins_and_is_one_line(tmp_path, mail):
    template(tmp_path, "a.txt", "Subject: other\n\nText")
    send(tmp_path, mail, template="a.txt", recipient="a@b.c", subject="One\r\nBcc: x@y.z")
    assert (mail.sent[0].subject, mail.sent[0].body) == ("One Bcc: x@y.z", "Text")


def test_a_template_that_was_deployed_stands_in_where_there_is_no_source(tmp_path, mail):
    packaged = tmp_path / "packaged"
    packaged.mkdir()
    (packaged / "a.txt").write_text("Subject: s\n\nText")
    send(tmp_path, mail, packaged, template="a.txt", recipient="a@b.c")
    assert mail.sent[0].body == "Text"


@pytest.mark.parametrize(
    ("inputs", "error"),
    [
        ({"template": "b.txt"}, errors.ArtifactNotFound),
        ({"template": "../../secret.txt"}, errors.ValidationError),
        ({"recipient": "nobody"}, errors.ValidationError),
        ({"recipient": "a@b.c, d@e.f"}, errors.ValidationError),
        ({"recipient": "a@b.c\nBcc: d@e.f"}, errors.ValidationError),
        ({"template": "no_subject.txt"}, errors.ValidationError),
    ],
)
def test_what_cannot_be_sent_is_said_and_nothing_goes_out(tmp_path, mail, inputs, error):
    template(tmp_path, "a.txt", "Subject: s\n\nText")
    template(tmp_path, "no_subject.txt", "Text")
    (tmp_path / "secret.txt").write_text("Subject: s\n")
    with pytest.raises(error):
        send(tmp_path, mail, **{"template": "a.txt", "recipient": "a@b.c", **inputs})
    assert mail.sent == []

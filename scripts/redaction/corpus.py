"""Writes test/fixtures/redaction/corpus.json: texts with personal data and secrets, each value marked with its kind.

    python3 -m venv /tmp/corpus && /tmp/corpus/bin/pip install faker==40.54.0 python-stdnum==2.2 phonenumbers==9.0.43
    /tmp/corpus/bin/python scripts/redaction/corpus.py test/fixtures/redaction/corpus.json

Values are made and checked by these packages, never by the code under test. A value is marked as ⟦kind:value⟧.
The same seed gives the same corpus.
"""

import json
import random
import string
import sys
from datetime import datetime, timedelta
from importlib.metadata import version

import phonenumbers
from faker import Faker
from phonenumbers import PhoneNumberFormat, PhoneNumberType
from stdnum import ean, iban, imei, isbn, luhn, verhoeff
from stdnum.br import cpf
from stdnum.de import idnr
from stdnum.es import dni, nie
from stdnum.fr import nir
from stdnum.gb import nhs
from stdnum.in_ import aadhaar, pan
from stdnum.it import codicefiscale
from stdnum.nl import bsn
from stdnum.us import ssn

SEED = 14
rng = random.Random(SEED)
Faker.seed(SEED)

LOCALES = ["en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "pt_BR", "en_IN", "ja_JP", "zh_CN", "ru_RU", "ar_AA", "he_IL", "hi_IN", "th_TH"]
fakers = {locale: Faker(locale) for locale in LOCALES}
english = fakers["en_US"]


def marked(kind, value):
    return f"⟦{kind}:{value}⟧"


# Sentences around a value, with punctuation and scripts of all sorts. `{}` is the value.
NEUTRAL = [
    "{}",
    "Please use {}, thanks.",
    "It is {}. Is that right?",
    "We have ({}) on file.",
    '"{}"',
    "'{}'",
    "<{}>",
    "[{}]",
    "- {}\n- none",
    "a: {}; b: none",
    "first={} last=none",
    "| name | {} |",
    "**{}** is what they sent",
    "`{}`",
    "Before\n{}\nafter",
    "What about {}?",
    "See {}!",
    "{}: as agreed",
    "…{}…",
    "“{}”",
    "Meine Angabe lautet {}.",
    "Voici : {} — merci.",
    "Aquí está: {}, gracias.",
    "Ecco {}; grazie.",
    "Hier is {}, dank u.",
    "Segue {}. Obrigado!",
    "Вот: {}.",
    "これは {} です。",
    "這是「{}」。",
    "请看：{}，谢谢。",
    "هذا {} شكراً",
    "זה {} תודה",
    "यह {} है।",
    "นี่คือ {} ครับ",
    "こちらは「{}」になります。",
    '{{"value": "{}"}}',
    "<td>{}</td>",
    "\t{}\r\n",
]


def in_sentences(kind, values, sentences=NEUTRAL):
    order = list(sentences)
    rng.shuffle(order)
    return [order[index % len(order)].format(marked(kind, value)) for index, value in enumerate(values)]


def unique(values):
    return list(dict.fromkeys(values))


def moment(first_year, last_year):
    """Faker's own dates depend on the clock."""
    begin = datetime(first_year, 1, 1)
    return begin + timedelta(seconds=rng.randrange(int((datetime(last_year, 12, 31) - begin).total_seconds())), microseconds=rng.randrange(10**6))


def digits(count):
    return "".join(rng.choice(string.digits) for _ in range(count))


def grouped(text, sizes, separator):
    parts, at = [], 0
    for size in sizes:
        parts.append(text[at : at + size])
        at += size
    return separator.join([*parts, text[at:]] if at < len(text) else parts)


# Emails


def emails():
    values = []
    for locale in ["en_US", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "pt_BR"]:
        values += [fakers[locale].ascii_safe_email() for _ in range(14)]
    for _ in range(16):
        user = english.user_name()
        values += [
            f"{user}+news@example.com",
            f"{user.upper()}@EXAMPLE.ORG",
            f"{user[0]}.{user}@mail.eu.example.co.uk",
            f"{user}_{digits(2)}@sub-{digits(2)}.example.net",
            f"{user}-{digits(3)}@example.museum",
        ]
    values += ["o'brien@example.com", "o’neil@example.ie", "müller@example.de", "josé.garcía@example.es", "用户@例子.example", "почта@пример.example"]
    values += ["δοκιμή@παράδειγμα.example", "jane@bücher.example", "info@xn--bcher-kva.example", "x@example.io", "1234567@example.com", "a%b@example.com"]
    texts = in_sentences("email", unique(values))
    for _ in range(6):
        value = marked("email", english.ascii_safe_email())
        texts += [f"mailto:{value}?subject=hi", f"[write]({'mailto:'}{value})", f"请联系{value}谢谢", f"メールは{value}まで", f"cc:{value};"]
        texts += [f"From: Jane <{value}>, {marked('email', english.ascii_safe_email())}", f"อีเมล{value}", f"이메일은 {value}입니다"]
    return texts


# Cards


CARD_TYPES = ["amex", "diners", "discover", "jcb", "jcb16", "maestro", "mastercard", "visa", "visa16", "visa19"]


def card_forms(number):
    if len(number) == 15:
        return [number, grouped(number, [4, 6, 5], " "), grouped(number, [4, 6, 5], "-")]
    if len(number) == 14:
        return [number, grouped(number, [4, 6, 4], " "), grouped(number, [4, 6, 4], "-")]
    return [number, grouped(number, [4] * ((len(number) + 3) // 4), " "), grouped(number, [4] * ((len(number) + 3) // 4), "-")]


def cards():
    values = []
    for kind in CARD_TYPES:
        for _ in range(8):
            number = english.credit_card_number(card_type=kind)
            # Faker's numbers of JCB are not all in the range of JCB.
            if len(number) < 14 or not luhn.is_valid(number) or (kind.startswith("jcb") and not "3528" <= number[:4] <= "3589"):
                continue
            values += [rng.choice(card_forms(number)), number]
    texts = in_sentences("card", unique(values))
    for _ in range(12):
        value = marked("card", rng.choice(card_forms(english.credit_card_number(card_type="visa16"))))
        texts += [f"{value} {rng.randint(10, 12)}/{rng.randint(27, 39)} {digits(3)}", f"Visa {value}, exp. 04/29, CVV {digits(3)}", f"{digits(2)} {value}"]
        texts += [f"卡号{value}，有效期", f"card:{value}/12/29"]
    return texts


# Bank accounts


IBAN_LOCALES = ["de_DE", "en_GB", "fr_FR", "es_ES", "it_IT", "nl_NL", "pt_PT", "pl_PL", "de_AT", "de_CH", "fi_FI", "no_NO", "tr_TR", "el_GR", "nl_BE", "cs_CZ", "da_DK", "sv_SE"]


def ibans():
    values = []
    for locale in IBAN_LOCALES:
        faker = Faker(locale)
        faker.seed_instance(SEED)
        for _ in range(12):
            value = faker.iban()
            if not iban.is_valid(value, check_country=False):
                continue
            values += [value, iban.format(value)] if rng.random() < 0.5 else [iban.format(value), value.lower()]
    # The example of each country in its standard, as the registry of stdnum knows its structure.
    return in_sentences("iban", unique(values))


# National ids


def with_check(make, module, tries=1000):
    for _ in range(tries):
        value = make()
        if module.is_valid(value):
            return value
    raise ValueError(module.__name__)


def german_id():
    while True:
        repeated = rng.sample(string.digits, 9)
        body = repeated + [rng.choice(repeated)]
        rng.shuffle(body)
        if body[0] == "0":
            continue
        value = "".join(body)
        value += idnr.calc_check_digit(value) if hasattr(idnr, "calc_check_digit") else next(c for c in string.digits if idnr.is_valid(value + c))
        if idnr.is_valid(value):
            return value


def french_id():
    while True:
        body = rng.choice("12") + f"{rng.randint(40, 99):02d}{rng.randint(1, 12):02d}{rng.randint(1, 95):02d}{rng.randint(1, 990):03d}{rng.randint(1, 999):03d}"
        if body[5:7] == "20":
            continue
        value = body + nir.calc_check_digits(body)
        if nir.is_valid(value):
            return value


def italian_id():
    body = "".join(rng.choice(string.ascii_uppercase) for _ in range(6)) + f"{rng.randint(40, 99):02d}" + rng.choice("ABCDEHLMPRST") + f"{rng.randint(1, 28):02d}"
    body += rng.choice("ABCDEFGHIL") + f"{rng.randint(100, 999)}"
    return body + codicefiscale.calc_check_digit(body)


def indian_id():
    body = rng.choice("23456789") + digits(10)
    value = body + verhoeff.calc_check_digit(body)
    return value if aadhaar.is_valid(value) else indian_id()


def spanish_id():
    body = digits(8)
    return body + dni.calc_check_digit(body)


def spanish_foreigner_id():
    body = rng.choice("XYZ") + digits(7)
    return body + nie.calc_check_digit(body)


def brazilian_id():
    return with_check(lambda: fakers["pt_BR"].cpf(), cpf)


def dutch_id():
    return with_check(lambda: f"{digits(9)}", bsn)


def american_id():
    return with_check(lambda: english.ssn(), ssn)


def british_id():
    prefix = rng.choice(["AB", "CE", "HK", "JL", "MW", "PR", "RS", "ST", "TW", "WX", "YA", "ZS"])
    return f"{prefix}{digits(6)}{rng.choice('ABCD')}"


def indian_tax_id():
    return "".join(rng.choice(string.ascii_uppercase) for _ in range(3)) + rng.choice("ABCFGHJLPT") + rng.choice(string.ascii_uppercase) + f"{rng.randint(1, 9999):04d}" + rng.choice(string.ascii_uppercase)


def national_ids():
    written, announced = [], []
    for _ in range(14):
        written.append(american_id())
        number = american_id().replace("-", "")
        announced += [f"SSN {marked('national_id', number)}", f"My social security number is {marked('national_id', number)}."]
        number = british_id()
        written += [number, grouped(number, [2, 2, 2, 2, 1], " ")]
        number = german_id()
        written.append(grouped(number, [2, 3, 3, 3], " "))
        announced += [f"Steuer-ID: {marked('national_id', number)}", f"Meine Steueridentifikationsnummer ist {marked('national_id', number)}."]
        number = french_id()
        written += [number, grouped(number, [1, 2, 2, 2, 3, 3, 2], " ")]
        number = spanish_id()
        written += [number, f"{number[:-1]}-{number[-1]}"]
        number = spanish_foreigner_id()
        written += [number, f"{number[0]}-{number[1:-1]}-{number[-1]}"]
        written.append(italian_id())
        number = dutch_id()
        written.append(grouped(number, [4, 2, 3], "."))
        announced += [f"BSN: {marked('national_id', number)}", f"Mijn burgerservicenummer is {marked('national_id', number)}."]
        number = brazilian_id()
        written.append(number)
        announced.append(f"CPF {marked('national_id', cpf.compact(number))}")
        number = indian_id()
        written.append(grouped(number, [4, 4, 4], " "))
        announced.append(f"Aadhaar number: {marked('national_id', number)}")
        written.append(with_check(indian_tax_id, pan))
    return in_sentences("national_id", unique(written)) + announced


# Phone numbers


COUNTRIES = ["US", "GB", "DE", "FR", "ES", "IT", "NL", "BR", "IN"]
TYPES = [PhoneNumberType.FIXED_LINE, PhoneNumberType.MOBILE, PhoneNumberType.TOLL_FREE]


def variation(region, kind):
    """A valid number near the library's example number."""
    example = phonenumbers.example_number_for_type(region, kind)
    if example is None:
        return None
    for _ in range(50):
        text = str(example.national_number)
        changed = phonenumbers.PhoneNumber(country_code=example.country_code, national_number=int(text[:-4] + digits(4)), italian_leading_zero=example.italian_leading_zero)
        if phonenumbers.is_valid_number_for_region(changed, region):
            return changed
    return example


def phones():
    national, international, announced = [], [], []
    for region in COUNTRIES:
        for kind in TYPES:
            for _ in range(5):
                number = variation(region, kind)
                if number is None:
                    continue
                text = phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL)
                if any(c in text for c in " -"):
                    national.append(text)
                announced.append((rng.choice(["Tel. {}", "phone: {}", "call me at {} today", "mobile {}", "Telefon {}"]), text.translate(str.maketrans("", "", " ()-"))))
                international.append(phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL))
    for region in sorted(phonenumbers.SUPPORTED_REGIONS):
        for kind in [PhoneNumberType.FIXED_LINE, PhoneNumberType.MOBILE]:
            number = variation(region, kind)
            if number is None:
                continue
            form = rng.choice([PhoneNumberFormat.INTERNATIONAL, PhoneNumberFormat.E164])
            international.append(phonenumbers.format_number(number, form))
    texts = in_sentences("phone", unique(international + national))
    texts += [sentence.format(marked("phone", value)) for sentence, value in announced]
    for region in COUNTRIES:
        value = phonenumbers.format_number(variation(region, PhoneNumberType.MOBILE), PhoneNumberFormat.E164)
        texts += [f"tel:{marked('phone', value)}", f"Call {marked('phone', '00' + value[1:])} now", f"{marked('phone', value)} 10:30", f"电话{marked('phone', value)}。"]
        value = phonenumbers.format_number(variation(region, PhoneNumberType.FIXED_LINE), PhoneNumberFormat.INTERNATIONAL)
        texts += [f"{marked('phone', value)}, {marked('phone', value)}", f"\u202a{marked('phone', value)}\u202c", f"{marked('phone', value)} ext. 12"]
    return texts


# Addresses of computers


def ips():
    values = [english.ipv4() for _ in range(60)] + [english.ipv6() for _ in range(60)]
    values += [f"2001:db8::{rng.randint(1, 9)}:{rng.randint(0x100, 0xffff):x}" for _ in range(20)]
    values += ["fe80::1ff:fe23:4567:890a", "2001:db8::", "::ffff:192.0.2.128", "64:ff9b::192.0.2.33", "2001:DB8:0:0:8:800:200C:417A", "fd12:3456:789a:1::1"]
    texts = in_sentences("ip", unique(values))
    for _ in range(10):
        value = marked("ip", english.ipv4())
        texts += [f"http://{value}:8080/path", f"{value}/24", f"from {value} port 22", f"{value}, {marked('ip', english.ipv4())}", f"[{marked('ip', english.ipv6())}]:443", f"ssh root@{value}"]
        texts += [f'{value} - - [22/Nov/2026:10:12:14 +0000] "GET / HTTP/1.1" 200 1043', f"服务器{value}上"]
    return texts


# Secrets: the published form of each vendor's keys, filled with random characters.


def run(alphabet, count):
    return "".join(rng.choice(alphabet) for _ in range(count))


ALNUM = string.ascii_letters + string.digits
URLSAFE = ALNUM + "-_"
HEX = "0123456789abcdef"
SECRET_FORMS = [
    lambda: "sk-" + run(ALNUM, 20) + "T3BlbkFJ" + run(ALNUM, 20),
    lambda: "sk-proj-" + run(ALNUM, 74) + "T3BlbkFJ" + run(ALNUM, 74),
    lambda: "sk-ant-api03-" + run(ALNUM, 93) + "AA",
    lambda: "AIza" + run(ALNUM, 35),
    lambda: "gsk_" + run(ALNUM, 52),
    lambda: "xai-" + run(ALNUM, 80),
    lambda: "hf_" + run(string.ascii_letters, 34),
    lambda: "nvapi-" + run(ALNUM, 64),
    lambda: "pplx-" + run(ALNUM, 48),
    lambda: "sk-or-v1-" + run(HEX, 64),
    lambda: "fw_" + run(ALNUM, 24),
    lambda: "csk-" + run(string.ascii_lowercase + string.digits, 48),
    lambda: "r8_" + run(ALNUM, 37),
    lambda: "tgp_v1_" + run(ALNUM, 43),
    lambda: "ghp_" + run(ALNUM, 36),
    lambda: "github_pat_" + run(ALNUM, 22) + "_" + run(ALNUM, 59),
    lambda: "glpat-" + run(ALNUM, 20),
    lambda: "xoxb-" + digits(12) + "-" + digits(12) + "-" + run(ALNUM, 24),
    lambda: "npm_" + run(ALNUM, 36),
    lambda: "AKIA" + run("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
    lambda: "sk_live_" + run(ALNUM, 24),
    lambda: "SG." + run(ALNUM, 22) + "." + run(ALNUM, 43),
    lambda: "shpat_" + run(HEX, 32),
    lambda: "tp_" + run(string.ascii_lowercase + string.digits, 12) + "_" + run(HEX, 48),
    lambda: "ta_" + run(string.ascii_lowercase + string.digits, 12) + "_" + run(HEX, 48),
    lambda: "eyJ" + run(ALNUM, 33) + ".eyJ" + run(ALNUM, 60) + "." + run(URLSAFE, 42) + "x",
]


def secrets():
    values = [form() for form in SECRET_FORMS for _ in range(7)]
    texts = in_sentences("secret", values)
    for form in SECRET_FORMS:
        texts += [f"API_KEY={marked('secret', form())}", f'Authorization: Bearer {marked("secret", form())}', f"密钥{marked('secret', form())}。"]
    for _ in range(8):
        key = run(ALNUM + "+/", 40)
        texts += [f"aws_secret_access_key = {marked('secret', key)}", f"postgres://app:{marked('secret', run(ALNUM, 14))}@db.example.com:5432/app"]
        body = "\n".join(run(ALNUM + "+/", 64) for _ in range(4))
        texts.append(marked("secret", f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----"))
    return texts


# Opt-in kinds


def birth_dates():
    texts = []
    for _ in range(40):
        date = moment(1936, 2008).date()
        iso, dots, slashes = date.isoformat(), date.strftime("%d.%m.%Y"), date.strftime("%m/%d/%Y")
        words = f"{date.day} {date.strftime('%B')} {date.year}"
        texts += [
            f"She was born on {marked('birth_date', words)} in Springfield.",
            f"DOB: {marked('birth_date', slashes)}",
            f"Date of birth {marked('birth_date', iso)}.",
            f"Geburtsdatum: {marked('birth_date', dots)}",
            f"né le {marked('birth_date', date.strftime('%d/%m/%Y'))}",
        ]
    return texts


def persons():
    texts = []
    for locale in ["en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL"]:
        faker = fakers[locale]
        for _ in range(8):
            name = f"{faker.first_name()} {faker.last_name()}"
            texts += [f"My name is {marked('person', name)}.", f"Please ask Dr. {marked('person', name)} about it.", f"{marked('person', name)} wrote to us last week.", f"We met {marked('person', name)} at noon."]
    return texts


# Near misses: nothing in these texts is personal data.


def wrong_digit(text):
    """The same with one digit changed, so that a check digit is wrong."""
    places = [index for index, c in enumerate(text) if c.isdigit()]
    at = places[-1]
    return text[:at] + str((int(text[at]) + rng.randint(1, 9)) % 10) + text[at + 1 :]


def near_misses():
    texts = []
    for _ in range(25):
        number = english.credit_card_number(card_type="visa16")
        wrong = wrong_digit(number)
        texts += [f"Order {wrong} was shipped.", f"Reference {grouped(wrong, [4, 4, 4, 4], ' ')}"]
        value = fakers["de_DE"].iban()
        texts.append(f"Code {iban.format(value[:2] + f'{(int(value[2:4]) + 1) % 90 + 2:02d}' + value[4:])}" if not iban.is_valid(value[:2] + f"{(int(value[2:4]) + 1) % 90 + 2:02d}" + value[4:]) else "Code DE00")
        book = isbn.format(isbn.to_isbn13("0" + digits(8) + "0")) if isbn.is_valid("0" + digits(8) + "0") else "978-3-16-148410-0"
        texts += [f"ISBN {book}", f"EAN {ean_number()}", f"IMEI {imei_number()}", f"parcel {digits(10)}", f"NHS {nhs_number()}"]
        texts += [f"commit {run(HEX, 40)}", f"sha256:{run(HEX, 64)}", f"id {english.uuid4()}", f"etag \"{run(HEX, 32)}\"", f"span={run(HEX, 16)} trace={run(HEX, 32)}"]
        texts += [f"version {rng.randint(1, 20)}.{rng.randint(0, 99)}.{rng.randint(0, 99)}", f"v{rng.randint(1, 9)}.{rng.randint(0, 9)}.{rng.randint(0, 9)}.{rng.randint(0, 9)}", f"build 10.0.{rng.randint(1000, 9999)}.{rng.randint(256, 999)}"]
        texts += [f"{moment(1970, 2026):%Y-%m-%d %H:%M:%S}", f"at {moment(1970, 2026).isoformat()}", f"total {rng.randint(1, 999)},{rng.randint(100, 999)},{rng.randint(100, 999)}.{digits(2)} USD", f"{rng.random():.16f}", f"{rng.randint(10**12, 10**13 - 1)} ms since the epoch is 1{digits(12)}"]
        texts += [f"mac {english.mac_address()}", f"std::{run(string.ascii_lowercase, 4)}::{run(string.ascii_lowercase, 5)}", f"rgb({rng.randint(0, 255)}, {rng.randint(0, 255)}, {rng.randint(0, 255)})", f"{rng.randint(1, 90)}.{digits(6)}, -{rng.randint(1, 170)}.{digits(6)}"]
        texts += [f"@{english.user_name()} said so", f"git@github.example:{english.user_name()}/demo.git is not set", f"{english.user_name()}@localhost", f"image@2x.png", f"SKU-{digits(4)}-{digits(4)}", f"pages {rng.randint(100, 199)}-{rng.randint(200, 299)}"]
        texts += [f"{american_id()[:-1]}", f"case 000-{digits(2)}-{digits(4)}", f"{spanish_id()[:-1]}Ñ", f"ticket {digits(9)}", f"{digits(3)}-{digits(4)}", f"score {rng.randint(1, 9)}-{rng.randint(1, 9)}", f"room {digits(3)}.{digits(3)}"]
        texts += [f"sk-{run(string.ascii_lowercase, 6)}", f"the key-value-store-of-{run(string.ascii_lowercase, 5)}-service", f"max_tokens={rng.randint(100, 9999)}", f"pk = {rng.randint(1, 999)}", f"const hf_model = load()"]
    for locale in LOCALES:
        for _ in range(8):
            texts.append(fakers[locale].paragraph(nb_sentences=3))
    return unique(texts)


def ean_number():
    body = rng.choice(["400", "401", "500", "544", "690", "871"]) + digits(9)
    return body + ean.calc_check_digit(body)


def imei_number():
    body = rng.choice(["35", "86", "99"]) + digits(12)
    value = body + luhn.calc_check_digit(body)
    assert imei.is_valid(value)
    return value


def nhs_number():
    while True:
        value = digits(10)
        if nhs.is_valid(value):
            return value


def main(path):
    texts = emails() + cards() + ibans() + national_ids() + phones() + ips() + secrets() + birth_dates() + persons() + near_misses()
    made_with = {name: version(name) for name in ["Faker", "python-stdnum", "phonenumbers"]}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"seed": SEED, "madeWith": made_with, "texts": texts}, file, ensure_ascii=False, indent=2)
        file.write("\n")
    print(f"{len(texts)} texts, {sum(text.count('⟦') for text in texts)} values")


if __name__ == "__main__":
    main(sys.argv[1])

